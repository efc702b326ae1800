import type { TextKey } from '../i18n';
import { isTestModel } from '../model_label';
import { usePage } from './context';
import { FloorPicture } from './icons';

const kSuggestions: TextKey[] = ['try.explain', 'try.code', 'try.letter'];

export function EmptyView({ onSuggest }: { onSuggest: (text: string) => void }) {
  const { t, session } = usePage();
  const noModel = session.modelsState === 'ready' && session.models.length === 0;
  return (
    <section class="empty">
      <FloorPicture />
      <h2>{noModel ? t('empty.none_heading') : t('empty.heading')}</h2>
      <p>{noModel ? t('empty.none') : t('empty.private')}</p>
      {!noModel && isTestModel(session.model) && <p class="hint">{t('model.test_hint')}</p>}
      {!noModel && (
        <div class="suggestions">
          {kSuggestions.map((key) => (
            <button key={key} type="button" onClick={() => onSuggest(t(key))}>
              {t(key)}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
