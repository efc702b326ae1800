import { modelLabel } from '../model_label';
import { usePage, useWatch } from './context';
import { IconMenu, IconPlus } from './icons';

export function TopBar({
  menuOpen,
  onMenu,
  onNew,
}: {
  menuOpen: boolean;
  onMenu: () => void;
  onNew: () => void;
}) {
  const { t, session } = usePage();
  useWatch(session);
  const { models, modelsState, model } = session;
  const placeholder = modelsState === 'ready' ? t('model.none') : t('model.loading');
  return (
    <header class="top">
      <button
        type="button"
        class="square only-narrow"
        aria-label={t('menu.open')}
        aria-expanded={menuOpen}
        aria-controls="chats-panel"
        onClick={onMenu}
      >
        <IconMenu />
      </button>
      <div class="model">
        <label class="offscreen" for="model-box">
          {t('model.label')}
        </label>
        <select
          id="model-box"
          value={model}
          disabled={models.length === 0}
          onChange={(event) => session.chooseModel(event.currentTarget.value)}
        >
          {models.length === 0 && <option value="">{placeholder}</option>}
          {models.map((item) => (
            <option key={item.id} value={item.id} selected={item.id === model}>
              {modelLabel(item, t)}
            </option>
          ))}
        </select>
      </div>
      <button type="button" class="square only-narrow" aria-label={t('chats.new')} onClick={onNew}>
        <IconPlus />
      </button>
    </header>
  );
}
