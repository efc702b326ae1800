import { render } from 'preact';
import { Highlighter } from './highlight';
import { Session } from './session';
import { browserStorage, ChatStore } from './store';
import './styles/base.css';
import './styles/layout.css';
import './styles/conversation.css';
import './styles/prose.css';
import './styles/composer.css';
import { App } from './view/app';

const store = new ChatStore(browserStorage());
const session = new Session(store);
addEventListener('storage', () => session.refresh());
addEventListener('pagehide', () => session.saveAll());
void session.loadModels();

const root = document.getElementById('app');
if (root) render(<App session={session} store={store} highlighter={new Highlighter()} />, root);
