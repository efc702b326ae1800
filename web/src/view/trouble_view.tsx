import type { Trouble } from '../api';
import type { Translate } from '../i18n';
import { usePage } from './context';
import { IconAgain, IconEdit } from './icons';

export function troubleText(trouble: Trouble, t: Translate): string {
  switch (trouble.kind) {
    case 'too_long': {
      const { needed, limit } = trouble;
      return needed !== null && limit !== null
        ? t('error.too_long', { needed, limit })
        : t('error.too_long_plain');
    }
    case 'busy':
    case 'limited': {
      const seconds = trouble.retryAfterS;
      return seconds === null ? t(`error.${trouble.kind}`) : t(`error.${trouble.kind}_in`, { seconds });
    }
    case 'refused':
      return t('error.refused', { status: trouble.status, detail: trouble.detail });
    default:
      return t(`error.${trouble.kind}`);
  }
}

interface AgainProps {
  onAgain: () => void;
  /** Null if the last message has an answer, if only a part of one. */
  onEdit: (() => void) | null;
}

/** What can be done about a message that was not answered. */
export function AgainButtons({ onAgain, onEdit }: AgainProps) {
  const { t } = usePage();
  return (
    <div class="again">
      <button type="button" class="quiet" onClick={onAgain}>
        <IconAgain />
        <span>{t('message.retry')}</span>
      </button>
      {onEdit && (
        <button type="button" class="quiet" onClick={onEdit}>
          <IconEdit />
          <span>{t('message.edit')}</span>
        </button>
      )}
    </div>
  );
}

export function TroubleView({ trouble, ...again }: { trouble: Trouble } & AgainProps) {
  const { t } = usePage();
  return (
    <div class="trouble" role="alert">
      <p>{troubleText(trouble, t)}</p>
      <AgainButtons {...again} />
    </div>
  );
}
