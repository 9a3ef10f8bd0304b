import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { cancelUploads, type ListedUpload, useOpenUploads } from '../../account/own-data/open-uploads.ts';
import { notify } from '../../lib/base/toast.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { bytes, timeAgo } from '../../lib/figures/format.ts';
import { Button, LinkButton } from '../../ui/base/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { LoadedPart } from '../../ui/sections/loaded-part.tsx';
import { Badge } from '../../ui/states/badge.tsx';

const HEADING_ID = 'open-uploads';
const MINUTE_MS = 60_000;
const heldBytes = (uploads: readonly ListedUpload[]) =>
  uploads.reduce((sum, { length_bytes }) => sum + length_bytes, 0);

interface QuestionProps {
  userId: string;
  /** The uploads to cancel. */
  uploads: readonly ListedUpload[];
  onClose: () => void;
}

/** Confirms the deletion of the received bytes. */
function Question({ userId, uploads, onClose }: QuestionProps) {
  const { t } = useLingui();
  const held = bytes(heldBytes(uploads));
  const cancel = async () => {
    const ids = uploads.map(({ id }) => id);
    const { failed, cancelled } = await cancelUploads(userId, ids);
    if (failed > 0) {
      return plural(failed, {
        one: '# upload could not be cancelled. Try again.',
        other: '# uploads could not be cancelled. Try again.',
      });
    }
    if (cancelled === 0) notify(() => t`The upload had already ended, so there was nothing to cancel.`, 'info');
    else notify(() => (cancelled === 1 ? t`Upload cancelled` : t`Uploads cancelled`));
    return null;
  };
  return (
    <ConfirmDialog
      title={plural(uploads.length, { one: 'Cancel this upload?', other: 'Cancel # uploads?' })}
      description={
        <p>
          <Trans>
            What is uploaded so far is deleted, which frees {held} of your storage. This can’t be undone. An upload that
            is still running on another device starts over there.
          </Trans>
        </p>
      }
      // The row, and the focused button in it, were removed with the upload.
      returnFocus={(isDone) => (isDone ? document.getElementById(HEADING_ID) : null)}
      cancel={t`Keep`}
      yes={t`Yes, Cancel`}
      doing={t`Cancelling...`}
      onClose={onClose}
      onConfirm={cancel}
    />
  );
}

/** The file's name may be sealed; folder, size and time identify the upload. */
function UploadRow({ upload, onCancel }: { upload: ListedUpload; onCancel: () => void }) {
  const nowMs = useNow();
  const labelId = `open-upload-${upload.id}`;
  const [there, total] = [bytes(upload.offset_bytes, upload.length_bytes), bytes(upload.length_bytes)];
  const since = timeAgo(upload.created_at, nowMs);
  const isNew = nowMs - Date.parse(upload.created_at) < MINUTE_MS;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 last:pb-0">
      <div id={labelId} className="min-w-0">
        <p className="text-sm font-medium wrap-anywhere">
          <Trans>
            To{' '}
            <Link
              to="/f/$slug"
              params={{ slug: upload.folder_slug }}
              className="rounded-chip underline decoration-stitch underline-offset-4"
            >
              {upload.folder_name || upload.folder_slug}
            </Link>
          </Trans>
        </p>
        <p className="mt-0.5 text-xs text-muted tabular">
          {isNew ? (
            <Trans>
              {there} of {total} stored, started just now
            </Trans>
          ) : (
            <Trans>
              {there} of {total} stored, started {since}
            </Trans>
          )}
        </p>
      </div>
      {upload.isRunningHere ? (
        <Badge tone="info">
          <Trans>Uploading now</Trans>
        </Badge>
      ) : (
        <div className="flex gap-2">
          {upload.isOfThisBrowser && (
            <LinkButton
              size="sm"
              aria-describedby={labelId}
              to="/f/$slug"
              params={{ slug: upload.folder_slug }}
              search={{ upload: true }}
            >
              <Trans>Resume</Trans>
            </LinkButton>
          )}
          <Button size="sm" aria-describedby={labelId} onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      )}
    </li>
  );
}

function Uploads({ userId, uploads }: { userId: string; uploads: readonly ListedUpload[] }) {
  const [asking, setAsking] = useState<readonly ListedUpload[] | null>(null);
  const cancellable = uploads.filter(({ isRunningHere }) => !isRunningHere);
  return (
    <>
      <p className="mt-1 text-sm text-muted">
        <Trans>
          Unfinished uploads take up storage. You can resume an upload in the browser where it started. It is deleted
          after 24 hours without progress, or when its folder expires or is deleted.
        </Trans>
      </p>
      <ul className="mt-1 divide-y divide-line">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} onCancel={() => setAsking([upload])} />
        ))}
      </ul>
      {cancellable.length > 1 && (
        <Button className="mt-4" onClick={() => setAsking(cancellable)}>
          <Trans>Cancel all</Trans>
        </Button>
      )}
      {asking && <Question userId={userId} uploads={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

/** The person's unfinished uploads, of any device; hidden when there are none. */
export function OpenUploadsCard({ userId }: { userId: string }) {
  const query = useOpenUploads(userId);
  if (query.data?.length === 0) return null;
  return (
    <Card title={<Trans>Unfinished uploads</Trans>} headingId={HEADING_ID}>
      <LoadedPart query={query}>{(uploads) => <Uploads userId={userId} uploads={uploads} />}</LoadedPart>
    </Card>
  );
}
