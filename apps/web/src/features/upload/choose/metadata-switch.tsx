import { Plural, useLingui } from '@lingui/react/macro';
import type { UploadItem } from '@satchel/client/send/list/queue';
import { isPhoto } from '@satchel/client/send/metadata/photo-files';
import { TriangleAlert } from 'lucide-react';
import { setStripsMetadata, stripsMetadata } from '../../../engine/uploads/strip-choice.ts';
import { useStore } from '../../../lib/base/page-hooks.ts';
import { Switch } from '../../../ui/forms/field.tsx';
import { namesOf } from '../upload-texts.ts';

interface ItemsProps {
  items: readonly UploadItem[];
}

/** Whether photos and films are sent without what tells of their maker. Shown where there are some on the list. */
export function MetadataSwitch({ items }: ItemsProps) {
  const { t } = useLingui();
  const strips = useStore(stripsMetadata);
  if (!items.some(isPhotoItem)) return null;
  return (
    <div className="px-4 py-3.5 sm:px-5">
      <Switch
        label={t`Remove place and device from photos and videos`}
        hint={t`Removes place, time, device and serial numbers from JPEG, PNG, WebP, HEIC, GIF and TIFF pictures and from MP4 and MOV videos, and the video from motion photos. What they show stays the same.`}
        checked={strips}
        onCheckedChange={setStripsMetadata}
      />
    </div>
  );
}

const isPhotoItem = ({ name, mimeType }: UploadItem) => isPhoto({ name, type: mimeType });

/** Names the photos and films that were to lose their metadata, and go as they are. */
export function KeptMetadata({ items }: ItemsProps) {
  const unread = items.filter(({ stripping }) => stripping === 'unreadable');
  if (unread.length === 0) return null;
  const names = namesOf(unread.map(({ name }) => name));
  return (
    <p role="status" className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-xs text-warning">
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <Plural
          value={unread.length}
          one="# file is sent unchanged, with any place and device in it, because they could not be taken out:"
          other="# files are sent unchanged, with any place and device in them, because they could not be taken out:"
        />{' '}
        {names}
      </span>
    </p>
  );
}
