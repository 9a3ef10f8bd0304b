import { Trans, useLingui } from '@lingui/react/macro';
import { ban, takeDown } from '../operator-api.ts';
import { ActDialog } from './act-dialog.tsx';

interface DialogProps {
  name: string;
  onClose: () => void;
  onDone: () => void;
}

/** Takes a folder down: the folder is deleted, and its page shows the reason. */
export function TakeDownDialog({ slug, name, onClose, onDone }: DialogProps & { slug: string }) {
  const { t } = useLingui();
  return (
    <ActDialog
      title={t`Take this folder down?`}
      description={
        <Trans>
          <b className="font-medium text-ink">{name}</b> is deleted right away, with its files, its key and its link.
          The folder’s page then says that it was taken down, and shows your reason. This can’t be undone.
        </Trans>
      }
      reasonHint={t`Shown to everyone who opens the link, and to the owner. Where the link alone doesn’t open the folder, only the owner sees it.`}
      extra={{
        label: t`Refuse these files from now on`,
        hint: t`The same stored bytes can’t be uploaded again. The same file encrypted with another key is not recognised.`,
      }}
      yes={<Trans>Yes, Take Down</Trans>}
      onClose={onClose}
      onConfirm={async ({ reason, isExtra }) => {
        await takeDown({ folder_slug: slug, reason, deny_files: isExtra });
        onDone();
      }}
    />
  );
}

/** Bans an account: ends its sessions and refuses its sign-in. */
export function BanDialog({ discordId, name, onClose, onDone }: DialogProps & { discordId: string }) {
  const { t } = useLingui();
  return (
    <ActDialog
      title={t`Ban this account?`}
      description={
        <Trans>
          <b className="font-medium text-ink">{name}</b> is signed out everywhere and can’t sign in again until you
          unban them.
        </Trans>
      }
      reasonHint={t`They read it when they try to sign in.`}
      extra={{
        label: t`Take down all their folders`,
        hint: t`All files, keys and links of this account are deleted right away. This can’t be undone, not even by unbanning.`,
      }}
      yes={<Trans>Yes, Ban</Trans>}
      onClose={onClose}
      onConfirm={async ({ reason, isExtra }) => {
        await ban({ discord_id: discordId, reason, take_down_folders: isExtra });
        onDone();
      }}
    />
  );
}
