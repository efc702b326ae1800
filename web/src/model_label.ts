// What a person reads where a model is chosen.

import type { Model } from './api';
import type { Translate } from './i18n';

export function isTestModel(id: string): boolean {
  return /smollm2/i.test(id);
}

export function modelLabel(model: Model, t: Translate): string {
  const words = isTestModel(model.id) ? t('model.test') : model.description.slice(0, 80);
  return words === '' ? model.id : `${model.id} — ${words}`;
}
