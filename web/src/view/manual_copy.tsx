// Where the browser refuses to copy, the text is shown selected, to be copied by hand.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from './context';

export function ManualCopy({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    box.current?.focus();
    box.current?.select();
  }, []);
  return (
    <dialog class="manual-copy" ref={dialog} aria-labelledby="manual-copy-text" onClose={onClose}>
      <p id="manual-copy-text">{t('copy.manual')}</p>
      <textarea ref={box} readOnly rows={10} value={text} aria-labelledby="manual-copy-text" />
      <button type="button" class="plain" onClick={() => dialog.current?.close()}>
        {t('copy.close')}
      </button>
    </dialog>
  );
}
