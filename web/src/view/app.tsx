import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { copyText } from '../clipboard';
import type { Highlighter } from '../highlight';
import { chooseLanguage, translator, type Language } from '../i18n';
import { chatInAddress, showChatInAddress } from '../route';
import type { Session } from '../session';
import type { ChatStore } from '../store';
import { Composer, type ComposerHandle } from './composer';
import { PageContext, type PageValue } from './context';
import { Conversation } from './conversation';
import { ManualCopy } from './manual_copy';
import { Notices } from './notices';
import { Sidebar } from './sidebar';
import { TopBar } from './top_bar';

interface AppProps {
  session: Session;
  store: ChatStore;
  highlighter: Highlighter;
}

export function App({ session, store, highlighter }: AppProps) {
  const [language, setLanguage] = useState(() =>
    chooseLanguage(store.setting('language'), navigator.languages),
  );
  const [menuOpen, setMenuOpen] = useState(false);
  const [byHand, setByHand] = useState<string | null>(null);
  const narrow = useNarrow();
  const composer = useRef<ComposerHandle | null>(null);

  const page = useMemo<PageValue>(() => {
    const copy = async (text: string) => {
      const copied = await copyText(text);
      if (!copied) setByHand(text);
      return copied;
    };
    return { t: translator(language), language, session, highlighter, copy };
  }, [language, session, highlighter]);

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = page.t('app.name');
  }, [language]);
  useEffect(() => followAddress(session), [session]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setMenuOpen(false);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const chooseAndKeep = (next: Language) => {
    store.setSetting('language', next);
    setLanguage(next);
  };
  const open = (id: string | null) => {
    session.open(id);
    setMenuOpen(false);
    composer.current?.focus();
  };

  const hidden = narrow && !menuOpen;
  return (
    <PageContext.Provider value={page}>
      <div class={`page${menuOpen ? ' menu-open' : ''}`}>
        <aside class="side" id="chats-panel" inert={hidden}>
          <Sidebar onLanguage={chooseAndKeep} onOpen={open} onClose={() => setMenuOpen(false)} />
        </aside>
        {narrow && menuOpen && <div class="veil" onClick={() => setMenuOpen(false)} />}
        <main class="main" inert={narrow && menuOpen}>
          <TopBar menuOpen={menuOpen} onMenu={() => setMenuOpen(true)} onNew={() => open(null)} />
          <Notices />
          <Conversation onFill={(text) => composer.current?.fill(text)} />
          <Composer handle={composer} />
        </main>
        {byHand !== null && <ManualCopy text={byHand} onClose={() => setByHand(null)} />}
      </div>
    </PageContext.Provider>
  );
}

/** The open chat and the address follow each other. */
function followAddress(session: Session): () => void {
  const toSession = () => session.open(chatInAddress());
  toSession();
  addEventListener('hashchange', toSession);
  const unsubscribe = session.subscribe(() => showChatInAddress(session.current?.id ?? null));
  return () => {
    removeEventListener('hashchange', toSession);
    unsubscribe();
  };
}

function useNarrow(): boolean {
  const query = useMemo(() => matchMedia('(max-width: 50rem)'), []);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return narrow;
}
