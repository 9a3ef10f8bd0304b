import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
  COMPARED_MAX_BYTES,
  type CollisionAnswer,
  type CollisionState,
  isUncompared,
} from '@satchel/client/send/list/collisions';
import { Copy, CopyX } from 'lucide-react';
import { bytes } from '../../../lib/figures/format.ts';
import { Button } from '../../../ui/base/button.tsx';

/** More names would push the buttons out of view. */
const LISTED_MAX = 8;

interface CollisionQuestionProps {
  collisions: CollisionState;
  onAnswer: (answer: CollisionAnswer) => void;
}

/** Files that the folder has under the same name with another content: nothing of them is sent before the answer. */
export function CollisionQuestion({ collisions: { comparing, differing }, onAnswer }: CollisionQuestionProps) {
  const { t } = useLingui();
  if (comparing > 0) {
    return (
      <p role="status" className="rounded-card bg-raised px-4 py-3 text-sm text-muted">
        <Plural
          value={comparing}
          one="Comparing # file with the file of the same name in the folder..."
          other="Comparing # files with the files of the same names in the folder..."
        />
      </p>
    );
  }
  if (differing.length === 0) return null;
  const unlisted = differing.length - LISTED_MAX;
  const uncompared = differing.filter(isUncompared).length;
  const largest = bytes(COMPARED_MAX_BYTES);
  return (
    <section aria-label={t`Files of the same name`} className="flex items-start gap-3 rounded-card bg-raised p-4">
      <Copy size={18} aria-hidden className="mt-0.5 shrink-0 text-muted max-sm:hidden" />
      <div className="min-w-0 flex-1 text-sm">
        <h2 className="font-medium">
          <Plural
            value={differing.length}
            one="The folder has another file of this name"
            other="The folder has other files of these # names"
          />
        </h2>
        <ul className="mt-1 grid gap-0.5 text-xs wrap-anywhere">
          {differing.slice(0, LISTED_MAX).map(({ chosen: { path } }) => (
            <li key={path}>{path}</li>
          ))}
          {unlisted > 0 && (
            <li>
              <Plural value={unlisted} one="and # more" other="and # more" />
            </li>
          )}
        </ul>
        {uncompared > 0 && (
          <p className="mt-2 text-xs">
            <Plural
              value={uncompared}
              one={`One of them is as large as the file in the folder, and larger than ${largest}: whether its content is the same was not compared.`}
              other={`# of them are as large as the files in the folder, and larger than ${largest}: whether their contents are the same was not compared.`}
            />
          </p>
        )}
        <p className="mt-2 text-xs text-muted">
          <Trans>
            “Keep both” gives the new file a number. “Replace” deletes the earlier file once the new file is uploaded,
            and the earlier file can’t be brought back.
          </Trans>
        </p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button tone="primary" onClick={() => onAnswer('keep_both')}>
            <Trans>Keep both</Trans>
          </Button>
          <Button tone="dangerSoft" onClick={() => onAnswer('replace')}>
            <CopyX size={15} aria-hidden />
            <Trans>Replace</Trans>
          </Button>
          <Button tone="ghost" onClick={() => onAnswer('leave_out')}>
            <Trans>Leave out</Trans>
          </Button>
        </div>
      </div>
    </section>
  );
}
