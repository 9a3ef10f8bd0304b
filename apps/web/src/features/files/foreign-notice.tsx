import { Plural, useLingui } from '@lingui/react/macro';
import { FileQuestionMark } from 'lucide-react';
import { Banner } from '../../ui/states/banner.tsx';

/** Number of entries that the folder's keys don't authenticate (docs/container.md §6). Both causes look the same here. */
export function ForeignNotice({ count }: { count: number }) {
  const { t } = useLingui();
  return (
    <div className="mb-4">
      <Banner
        tone="neutral"
        label={t`Not from this folder`}
        icon={<FileQuestionMark size={20} aria-hidden className="text-muted" />}
      >
        <Plural
          value={count}
          one="# file does not open with this link. The link was changed since, or the file is not from this folder."
          other="# files do not open with this link. The link was changed since, or the files are not from this folder."
        />
      </Banner>
    </div>
  );
}
