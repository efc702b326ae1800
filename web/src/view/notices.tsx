import type { Notice } from '../session';
import type { Translate } from '../i18n';
import { usePage, useWatch } from './context';
import { IconClose } from './icons';

const kSpokenCharsMax = 1000;

function noticeText(notice: Notice, t: Translate): string {
  switch (notice.kind) {
    case 'save':
      return t(`save.${notice.result}`);
    case 'bad_records':
      return t('chats.bad', { count: notice.count });
    case 'imported': {
      const { added, failed } = notice;
      return t(failed > 0 ? 'chats.imported_some' : 'chats.imported', { added, failed });
    }
    case 'import_bad':
      return t('chats.import_bad');
  }
}

export function Notices() {
  const { t, session } = usePage();
  useWatch(session);
  const { notice, modelsState, status } = session;
  return (
    <>
      {modelsState === 'unreachable' && (
        <div class="notice" role="alert">
          <p>{t('error.models')}</p>
          <button type="button" class="quiet" onClick={() => void session.loadModels()}>
            {t('message.reload')}
          </button>
        </div>
      )}
      {notice && (
        <div class="notice" role="alert">
          <p>{noticeText(notice, t)}</p>
          <button
            type="button"
            class="square"
            aria-label={t('message.dismiss')}
            onClick={() => session.clearNotice()}
          >
            <IconClose />
          </button>
        </div>
      )}
      <div class="offscreen" role="status" aria-live="polite">
        {status && t(`status.${status.kind}`, { text: status.text.slice(0, kSpokenCharsMax) })}
      </div>
    </>
  );
}
