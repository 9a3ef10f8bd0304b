import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { ChevronDown, KeyRound } from 'lucide-react';
import { Suspense, useId } from 'react';
import { cx } from '../../../lib/base/class-names.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import { Button, LinkButton } from '../../../ui/base/button.tsx';
import { KeyBadge } from '../../../ui/states/badge.tsx';
import { KeyField } from './key-field.tsx';
import type { FolderKeyState } from './use-folder-key.ts';

const PassphraseForm = lazyPart(() => import('./passphrase-form.tsx'), 'PassphraseForm', 'later');

interface SealedPanelProps extends Pick<FolderKeyState, 'unlock' | 'error' | 'lost'> {
  folder: FolderCompleteData;
  role: Role;
  /** How many files are closed here, and how large they are as stored; 0 while none is listed. */
  count: number;
  sizeBytes: number;
  /** Another notice of the page says why they are closed. */
  isExplained: boolean;
  /** Asks for the key again. */
  onRetry: () => void;
  /** Whether the closed files are listed below. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** Whether a link or a key that the person has may open what is closed here. */
const takesKey = ({ folder, error, unlock, lost }: SealedPanelProps): boolean =>
  folder.folder_link_mode === 'private' && unlock === null && lost === null && error?.code !== 'key.discord_now';

function Title({ folder, unlock, error, lost }: SealedPanelProps) {
  if (unlock) return <Trans>This folder needs a passphrase</Trans>;
  if (lost) return <Trans>The key could not be fetched</Trans>;
  if (folder.folder_link_mode === 'revoked') return <Trans>The link of this folder was revoked</Trans>;
  return error ? errorText(error) : <Trans>This address has no key</Trans>;
}

/** What opens the files, and who has it. */
function WayOut({ folder, role, unlock, error, lost }: SealedPanelProps) {
  const { t } = useLingui();
  const owner = folder.owner_discord_global_name || folder.owner_discord_username || t`the owner`;
  const isOwner = role === 'owner';
  if (unlock && isOwner) {
    return (
      <Trans>
        This device doesn’t remember the key. What you type stays in this browser: our server gets a proof that it is
        right, and nothing more.
      </Trans>
    );
  }
  if (unlock) {
    return (
      <Trans>
        The link opens the files only together with its passphrase: ask {owner} for it. What you type stays in this
        browser: our server gets a proof that it is right, and nothing more.
      </Trans>
    );
  }
  if (lost) {
    const reason = errorText(lost);
    return <Trans>{reason}. The files are there, and nothing is wrong with your link.</Trans>;
  }
  if (error?.code === 'key.discord_now') {
    // For a secret that can't be verified: trust the server's key, as people without a secret do.
    return (
      <Trans>
        So the key in your link can’t be checked, and the files stay closed. Ask {owner} whether this folder is a
        Discord link now. If it is, you can open the folder with our server’s key.
      </Trans>
    );
  }
  if (folder.folder_link_mode === 'revoked')
    return <Trans>Only a device that opened the folder before, and kept its key, can open the files.</Trans>;
  if (folder.folder_link_mode === 'discord')
    return <Trans>Our server does not have the key of these files. Ask {owner} for a new link.</Trans>;
  if (isOwner) {
    return <Trans>Open the full link, with the part after the # sign, or use the device that made the folder.</Trans>;
  }
  if (error?.code === 'key.unsealable') {
    return <Trans>The link may have been cut short, or replaced since: ask {owner} for the current link.</Trans>;
  }
  return <Trans>Ask {owner} for the full link, with the part after the # sign.</Trans>;
}

/** What the person can do about it. */
function Act(props: SealedPanelProps) {
  const { unlock, error, lost, onRetry } = props;
  if (unlock) {
    return (
      <Suspense fallback={<div className="h-16" />}>
        <PassphraseForm unlock={unlock} />
      </Suspense>
    );
  }
  if (lost) {
    return (
      <Button tone="primary" onClick={onRetry} className="justify-self-start">
        <Trans>Try Again</Trans>
      </Button>
    );
  }
  if (error?.code === 'key.discord_now') {
    return (
      <LinkButton to="." search hash="" replace className="justify-self-start">
        <Trans>Open with our server’s key</Trans>
      </LinkButton>
    );
  }
  return takesKey(props) && <KeyField error={error} />;
}

/** Stands for files that this page can't open, in place of cards that would all say the same (the folder still loads). */
export function SealedPanel(props: SealedPanelProps) {
  const { count, sizeBytes, lost, isExplained, isOpen, onOpen } = props;
  const { t } = useLingui();
  const titleId = useId();
  const size = bytes(sizeBytes);
  return (
    <section
      {...(isExplained ? { 'aria-label': t`Key` } : { 'aria-labelledby': titleId })}
      className="card grid grid-cols-1 gap-4 p-5 sm:p-6"
    >
      <div className="flex gap-3.5">
        <KeyRound size={22} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
        <div className="min-w-0">
          {count > 0 && (
            <h2 className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="display text-lg">
                <Plural value={count} one={`# sealed file · ${size}`} other={`# sealed files · ${size}`} />
              </span>
              {lost === null && <KeyBadge state="none" />}
            </h2>
          )}
          {!isExplained && (
            <>
              <p id={titleId} role={lost ? 'alert' : undefined} className="font-semibold">
                <Title {...props} />
              </p>
              <p className="mt-0.5 max-w-prose text-sm text-muted">
                <WayOut {...props} />
              </p>
            </>
          )}
        </div>
      </div>
      <div className="grid grid-cols-1 empty:hidden sm:pl-9">
        <Act {...props} />
      </div>
      {count > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
          className="-my-2 flex min-h-11 items-center gap-1.5 justify-self-start rounded-chip text-xs text-muted hover:text-ink sm:ml-9"
        >
          {isOpen ? <Trans>Hide the sealed files</Trans> : <Trans>Show the sealed files</Trans>}
          <ChevronDown size={15} aria-hidden className={cx('transition-transform', isOpen && 'rotate-180')} />
        </button>
      )}
    </section>
  );
}
