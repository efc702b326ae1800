// The open chat stands in the address after `#`, which no proxy ever sees.

export function chatInAddress(): string | null {
  return /^#\/chat\/([\w-]{1,64})$/.exec(location.hash)?.[1] ?? null;
}

export function showChatInAddress(id: string | null): void {
  if (id === chatInAddress()) return;
  const { pathname, search } = location;
  history.pushState(null, '', `${pathname}${search}${id === null ? '' : `#/chat/${id}`}`);
}
