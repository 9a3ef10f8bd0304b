import { Plural, useLingui } from '@lingui/react/macro';
import { FileQuestionMark } from 'lucide-react';
import { Banner } from '../../ui/states/banner.tsx';

/** Number of entries that the folder's keys don't authenticate (CONTAINER §6). Both causes look the same here. */
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
          one="# file does not open with this link. It was added after the link was changed, or is not from this folder’s owner."
          other="# files do not open with this link. They were added after the link was changed, or are not from this folder’s owner."
        />
      </Banner>
    </div>
  );
}
