import type { Trouble } from '../api';
import type { Translate } from '../i18n';
import { usePage } from './context';
import { IconAgain } from './icons';

export function troubleText(trouble: Trouble, t: Translate): string {
  switch (trouble.kind) {
    case 'too_long': {
      const { needed, limit } = trouble;
      return needed !== null && limit !== null ? t('error.too_long', { needed, limit }) : t('error.too_long_plain');
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

export function TroubleView({ trouble, onAgain }: { trouble: Trouble; onAgain: () => void }) {
  const { t } = usePage();
  return (
    <div class="trouble" role="alert">
      <p>{troubleText(trouble, t)}</p>
      <button type="button" class="quiet" onClick={onAgain}>
        <IconAgain /><span>{t('message.retry')}</span>
      </button>
    </div>
  );
}
