import { Trans } from '@lingui/react/macro';
import type { NewLink } from '@satchel/client/keys/link-mode';
import type { Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { Link } from '@tanstack/react-router';
import { RefreshCw, Unlink } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../ui/base/button.tsx';
import { LinkModeChoice } from '../../ui/forms/link-mode-choice.tsx';
import { LinkQuestion, type Question } from './link-question.tsx';
import { PassphraseForm } from './passphrase-form.tsx';
import { type ChangeLink, useLinkChange } from './use-link-change.ts';

export interface LinkSettingsProps {
  folder: FolderCompleteData;
  /** The folder's keys that may seal; null when this device has none, or not the newest. */
  ring: Keyring | null;
  /** Another device replaced the link: this one lacks the newest key. */
  isReplaced: boolean;
  /** The key is still loading. */
  keyLoading: boolean;
  /** This page is uploading to the folder. */
  isUploading: boolean;
  /** The bot has led the owner here: its card waits until the Discord link is on. */
  isAskedByBot: boolean;
  onNewLink: (link: NewLink) => void;
  /** The link may have changed: load the folder's facts again. */
  onFailed: () => void;
}

interface RowProps {
  title: ReactNode;
  hint: ReactNode;
  children: ReactNode;
}

const Row = ({ title, hint, children }: RowProps) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2.5">
    <div className="min-w-48 flex-1 max-sm:basis-full">
      <p className="text-sm font-medium">{title}</p>
      <p className="mt-0.5 text-xs text-muted">{hint}</p>
    </div>
    <div className="flex flex-wrap gap-2">{children}</div>
  </div>
);

interface PassphraseRowProps {
  isSet: boolean;
  folderName: string | null;
  disabled: boolean;
  change: ChangeLink;
  onRemove: () => void;
}

function PassphraseRow({ isSet, folderName, disabled, change, onRemove }: PassphraseRowProps) {
  const [isTyping, setTyping] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setTyping(false);
    // The form had the focus when it was removed.
    requestAnimationFrame(() => opener.current?.focus());
  };
  return (
    <div className="grid gap-3">
      <Row
        title={<Trans>Passphrase</Trans>}
        hint={
          isSet ? (
            <Trans>On: the link opens the files only together with its passphrase.</Trans>
          ) : (
            <Trans>Off: the key in the link is all it takes to open the files.</Trans>
          )
        }
      >
        <Button ref={opener} aria-expanded={isTyping} disabled={disabled} onClick={() => setTyping(!isTyping)}>
          {isSet ? <Trans>Change passphrase</Trans> : <Trans>Set passphrase</Trans>}
        </Button>
        {isSet && (
          <Button tone="ghost" disabled={disabled} onClick={onRemove}>
            <Trans>Remove passphrase</Trans>
          </Button>
        )}
      </Row>
      {isTyping && <PassphraseForm isChange={isSet} folderName={folderName} change={change} onClose={close} />}
    </div>
  );
}

const CLOSED_IN_PLAIN = {
  private: (
    <Trans>
      This can only be chosen when a folder is created. For files that our server can’t read, create a new one.
    </Trans>
  ),
  discord: <Trans>This can only be chosen when a folder is created.</Trans>,
};

/** A plain folder has no key, so its answer stays. */
const Plain = ({ folder }: Pick<LinkSettingsProps, 'folder'>) => (
  <LinkModeChoice
    value="plain"
    closed={CLOSED_IN_PLAIN}
    isRestricted={folder.folder_access === 'restricted'}
    onChange={() => undefined}
  />
);

const Revoked = () => (
  <p className="text-sm text-muted">
    <Trans>
      The link was revoked. People who come now can’t open the files, and the folder takes no further uploads. To share
      again,{' '}
      <Link to="/upload" className="font-medium text-accent-text underline decoration-stitch underline-offset-4">
        make a new folder
      </Link>
      .
    </Trans>
  </p>
);

interface ControlsProps extends LinkSettingsProps {
  change: ChangeLink;
  onAsk: (question: Question) => void;
}

const CLOSED_IN_SEALED = {
  plain: <Trans>This can only be chosen when a folder is created. Encrypted files stay encrypted.</Trans>,
};

function Controls({ folder, ring, isReplaced, keyLoading, change, onAsk }: ControlsProps) {
  const isDiscord = folder.folder_link_mode === 'discord';
  const canMakeLinks = ring !== null;
  return (
    <>
      <LinkModeChoice
        value={isDiscord ? 'discord' : 'private'}
        closed={CLOSED_IN_SEALED}
        isRestricted={folder.folder_access === 'restricted'}
        disabled={!canMakeLinks}
        onChange={(mode) => onAsk(mode === 'discord' ? 'discord_on' : 'discord_off')}
        passphrase={
          <PassphraseRow
            isSet={folder.temp_key_passphrase === true}
            folderName={folder.folder_name}
            disabled={!canMakeLinks}
            change={change}
            onRemove={() => onAsk('no_passphrase')}
          />
        }
      />
      {!isDiscord && folder.temp_key_passphrase !== true && (
        <Row
          title={<Trans>New link</Trans>}
          hint={<Trans>Ends the current link. All files open with the new link only.</Trans>}
        >
          <Button disabled={!canMakeLinks} onClick={() => onAsk('replace')}>
            <RefreshCw size={16} aria-hidden />
            <Trans>Make a new link</Trans>
          </Button>
        </Row>
      )}
      {!canMakeLinks && !keyLoading && (
        <p className="text-xs text-warning">
          {isReplaced ? (
            <Trans>
              The link was replaced on another device, with a new key that this device doesn’t have. Open the new link
              here first.
            </Trans>
          ) : (
            <Trans>
              These need the folder’s key, which this device doesn’t have. Open the full link here first, with the part
              after the # sign.
            </Trans>
          )}
        </p>
      )}
      <Row
        title={<Trans>Revoke the link</Trans>}
        hint={<Trans>People who come later can’t open the files. This can’t be undone.</Trans>}
      >
        <Button tone="dangerSoft" onClick={() => onAsk('revoke')}>
          <Unlink size={16} aria-hidden />
          <Trans>Revoke Link</Trans>
        </Button>
      </Row>
    </>
  );
}

/** The server has the folder's key, so a card of /share opens it. */
const holdsKey = (folder: FolderCompleteData) =>
  folder.folder_link_mode === 'discord' && folder.temp_key_api_token !== null;

/** Keeps the last key while it loads again after a change: disabled switches would lose the focus. */
function useHeldKey({ ring, keyLoading }: LinkSettingsProps) {
  const [held, setHeld] = useState(ring);
  if (ring !== null && ring !== held) setHeld(ring);
  return ring ?? (keyLoading ? held : null);
}

/** The owner's changes to the link: in Share and in Settings. */
export function LinkSettings(props: LinkSettingsProps) {
  const { folder } = props;
  const ring = useHeldKey(props);
  const change = useLinkChange({ ...props, ring });
  const isAsked = props.isAskedByBot && ring !== null && !holdsKey(folder);
  const [question, setQuestion] = useState<Question | null>(isAsked ? 'discord_on' : null);
  const mode = folder.folder_link_mode;
  if (mode === 'plain') return <Plain folder={folder} />;
  return (
    <div className="grid gap-5">
      {mode === 'revoked' ? <Revoked /> : <Controls {...props} ring={ring} change={change} onAsk={setQuestion} />}
      {question && (
        <LinkQuestion
          question={question}
          isDiscord={mode === 'discord'}
          isUploading={props.isUploading}
          isAskedByBot={props.isAskedByBot}
          change={change}
          onClose={() => setQuestion(null)}
        />
      )}
    </div>
  );
}
