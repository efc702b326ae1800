import { useEffect, useState } from 'preact/hooks';
import { usePage } from './context';
import { IconCheck, IconCopy } from './icons';

const kCopiedShownMs = 1800;

export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const { t, copy } = usePage();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), kCopiedShownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button type="button" class="quiet" onClick={() => void copy(text()).then(setCopied)}>
      {copied ? <IconCheck /> : <IconCopy />}
      <span>{copied ? t('message.copied') : label}</span>
    </button>
  );
}
