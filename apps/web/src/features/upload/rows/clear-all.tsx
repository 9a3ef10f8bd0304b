import { Trans } from '@lingui/react/macro';
import type { UploadItem } from '@satchel/client/send/list/queue';
import { useState } from 'react';
import { Button } from '../../../ui/base/button.tsx';
import { CancelQuestion } from './cancel-question.tsx';
import { losesWork } from './upload-row.tsx';

interface ClearAllProps {
  items: readonly UploadItem[];
  disabled?: boolean;
  size: 'sm' | 'lg';
  onClear: () => void;
}

/** Empties the list. It ends paused and failed uploads, too, so it asks where bytes of large files are on the server. */
export function ClearAll({ items, disabled = false, size, onClear }: ClearAllProps) {
  const [isAsking, setAsking] = useState(false);
  const lost = items.filter((item) => item.status !== 'completed' && losesWork(item)).length;
  return (
    <>
      <Button
        tone="ghost"
        size={size}
        className="max-sm:px-3"
        disabled={disabled}
        onClick={() => (lost > 0 ? setAsking(true) : onClear())}
      >
        <Trans>Clear All</Trans>
      </Button>
      {isAsking && <CancelQuestion count={lost} onClose={() => setAsking(false)} onConfirm={onClear} />}
    </>
  );
}
