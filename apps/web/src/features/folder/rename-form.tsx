import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { dropUnseen } from '@satchel/contract/unseen';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { rpc } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { cx } from '../../lib/base/class-names.ts';
import { Button } from '../../ui/base/button.tsx';
import { control } from '../../ui/forms/field.tsx';
import { Failure } from '../../ui/sections/failure.tsx';
import { useAct } from '../../ui/sections/use-act.ts';

interface RenameFormProps {
  folder: FolderCompleteData;
  onClose: () => void;
  /** Loads the folder's facts again. */
  onRenamed: () => void;
}

/** The field in place of the folder's name. The server reads the new name, as it reads the one before. */
export function RenameForm({ folder, onClose, onRenamed }: RenameFormProps) {
  const { t } = useLingui();
  const [value, setValue] = useState(folder.folder_name ?? '');
  const field = useRef<HTMLInputElement>(null);
  const { busy, failure, run } = useAct();
  useEffect(() => field.current?.select(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const name = dropUnseen(value).trim();
    if (busy) return;
    if (name === (folder.folder_name ?? '')) return onClose();
    const isSaved = await run(() =>
      rpc('update_folder_settings', { folder_id: folder.folder_id, new_name: name === '' ? null : name }),
    );
    if (!isSaved) return;
    announce(t`Folder renamed`);
    onRenamed();
    onClose();
  };
  return (
    <form onSubmit={save} className="w-full min-w-0 max-w-xl">
      <div className="flex flex-wrap gap-2">
        <input
          ref={field}
          aria-label={t`Folder name`}
          maxLength={FOLDER_NAME_MAX}
          autoComplete="off"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
          className={cx('field', control, 'h-11 min-w-0 flex-1 basis-60 text-lg max-sm:basis-full')}
        />
        <Button type="submit" size="lg" busy={busy} aria-disabled={busy} className="max-sm:grow">
          <Trans>Save</Trans>
        </Button>
        <Button tone="ghost" size="lg" onClick={onClose} className="max-sm:grow">
          <Trans>Cancel</Trans>
        </Button>
      </div>
      <Failure text={failure} className="mt-2" />
    </form>
  );
}
