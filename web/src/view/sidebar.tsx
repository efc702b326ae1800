import { useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat';
import type { Language } from '../i18n';
import { kChatsMax } from '../store';
import { usePage, useWatch } from './context';
import { IconClose, IconPlus, IconTrash, Mark } from './icons';

export interface SidebarProps {
  onLanguage: (language: Language) => void;
  onOpen: (id: string | null) => void;
  onClose: () => void;
}

export function Sidebar({ onLanguage, onOpen, onClose }: SidebarProps) {
  const { t, session, language } = usePage();
  useWatch(session);
  return (
    <>
      <div class="side-head">
        <h1 class="brand">
          <Mark />
          {t('app.name')}
        </h1>
        <button type="button" class="square only-narrow" aria-label={t('menu.close')} onClick={onClose}>
          <IconClose />
        </button>
      </div>
      <button type="button" class="new-chat" onClick={() => onOpen(null)}>
        <IconPlus />
        {t('chats.new')}
      </button>
      <nav class="chats" aria-label={t('chats.heading')}>
        {session.chats.length === 0 && <p class="chats-empty">{t('chats.empty')}</p>}
        <ul>
          {session.chats.map((chat) => (
            <ChatRow key={chat.id} chat={chat} onOpen={onOpen} />
          ))}
        </ul>
        {session.chats.length >= kChatsMax && (
          <p class="chats-empty">{t('chats.limit', { count: kChatsMax })}</p>
        )}
      </nav>
      <div class="side-foot">
        <Transfer />
        <div class="languages" role="group" aria-label={t('language.label')}>
          <button type="button" lang="ko" aria-pressed={language === 'ko'} onClick={() => onLanguage('ko')}>
            한국어
          </button>
          <button type="button" lang="en" aria-pressed={language === 'en'} onClick={() => onLanguage('en')}>
            English
          </button>
        </div>
      </div>
    </>
  );
}

function ChatRow({ chat, onOpen }: { chat: Chat; onOpen: (id: string) => void }) {
  const { t, session } = usePage();
  const [asking, setAsking] = useState(false);
  const title = chat.title || t('chats.untitled');
  if (asking) {
    return (
      <li class="chat-row asking">
        <button
          type="button"
          class="danger"
          ref={(button) => button?.focus()}
          onClick={() => session.remove(chat)}
        >
          {t('chats.confirm')}
        </button>
        <button type="button" class="quiet" onClick={() => setAsking(false)}>
          {t('chats.cancel')}
        </button>
      </li>
    );
  }
  return (
    <li class={`chat-row${session.isWriting(chat) ? ' writing' : ''}`}>
      <button
        type="button"
        class="chat-open"
        aria-current={session.current === chat ? 'page' : undefined}
        onClick={() => onOpen(chat.id)}
      >
        {title}
      </button>
      <button
        type="button"
        class="square chat-delete"
        aria-label={t('chats.delete', { title })}
        title={t('chats.delete', { title })}
        onClick={() => setAsking(true)}
      >
        <IconTrash />
      </button>
    </li>
  );
}

function Transfer() {
  const { t, session } = usePage();
  const file = useRef<HTMLInputElement>(null);
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([session.exportAll()], { type: 'application/json' }));
    link.download = 'ondol-chats.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const upload = async () => {
    const chosen = file.current?.files?.[0];
    if (!chosen || !file.current) return;
    session.importAll(await chosen.text());
    file.current.value = '';
  };
  return (
    <div class="transfer">
      <button type="button" class="quiet" disabled={session.chats.length === 0} onClick={download}>
        {t('chats.export')}
      </button>
      <button type="button" class="quiet" onClick={() => file.current?.click()}>
        {t('chats.import')}
      </button>
      <input
        ref={file}
        type="file"
        accept="application/json,.json"
        hidden
        tabIndex={-1}
        onChange={() => void upload()}
      />
    </div>
  );
}
