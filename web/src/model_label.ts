// What a person reads where a model is chosen.

import type { Model } from './api';
import type { Translate } from './i18n';

export function isTestModel(id: string): boolean {
  return /smollm2/i.test(id);
}

export function modelLabel(model: Model, t: Translate): string {
  // What must not be cut off on a narrow screen comes first.
  if (isTestModel(model.id)) return `${t('model.test')} — ${model.id}`;
  return model.description === '' ? model.id : `${model.id} — ${model.description.slice(0, 80)}`;
}
