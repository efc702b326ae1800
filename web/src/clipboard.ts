// Copying, also where the browser offers no clipboard object (plain http on a network address).

/** False if neither way worked: the caller then shows the text selected, to be copied by hand. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard?.writeText) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused (no permission, no focus): the old way may still work.
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const box = document.createElement('textarea');
  const before = document.activeElement;
  box.value = text;
  box.className = 'offscreen';
  box.setAttribute('aria-hidden', 'true');
  box.readOnly = true;
  document.body.append(box);
  box.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  box.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}
