import { Trans, useLingui } from '@lingui/react/macro';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import type { ReactNode } from 'react';
import { hoursText } from '../../lib/figures/format.ts';
import type { ButtonTone } from '../../ui/base/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import type { ChangeLink, LinkChange } from './use-link-change.ts';

/** Confirmations for irreversible changes of the link (docs/container.md §3). */
export type Question = 'discord_on' | 'discord_off' | 'no_passphrase' | 'replace' | 'revoke';

const CHANGES: Readonly<Record<Question, LinkChange>> = {
  discord_on: { type: 'discord' },
  discord_off: { type: 'private' },
  no_passphrase: { type: 'private' },
  replace: { type: 'private' },
  revoke: { type: 'revoke' },
};

interface Wording {
  readonly title: string;
  readonly text: ReactNode;
  readonly yes: string;
  readonly tone: ButtonTone;
}

function DiscordOnText({ isAskedByBot }: Pick<Circumstances, 'isAskedByBot'>) {
  const hours = hoursText(DISCORD_KEY_HOURS);
  return (
    <>
      <p>
        <Trans>
          <b className="font-semibold text-ink">Our server can read these files while this is on.</b> It keeps the
          folder’s key for at most {hours}. During that time, everyone who may enter the folder can open the files with
          the short link alone, also from a card that /share posts in Discord.
        </Trans>
      </p>
      <p>
        <Trans>
          You can turn it off at any time. That can’t undo what happened until then: our server, and everyone who opened
          the folder, may have kept the key.
        </Trans>
      </p>
      {isAskedByBot && (
        <p>
          <Trans>Then your card is posted in Discord, if you asked for it within the last 15 minutes.</Trans>
        </p>
      )}
    </>
  );
}

const DiscordOffText = () => (
  <>
    <p>
      <Trans>
        Our server forgets the key, and the short link no longer opens the files. You get a new link, which opens all
        files, for everyone who should still get in.
      </Trans>
    </p>
    <p>
      <Trans>
        This can’t undo what happened: our server, and everyone who opened the folder, may have kept the key of the
        files that are here now. Files that come later have a new key, which they don’t have.
      </Trans>
    </p>
  </>
);

/** Effects and limits of a new private link (docs/container.md §6). */
export const NewLinkEffect = () => (
  <>
    <p>
      <Trans>
        Links that you sent before open nothing any more. The new link opens all files, those that are here now and
        those that come later.
      </Trans>
    </p>
    <p>
      <Trans>
        People who had the folder open can still read what was in it then, and keep what they saved. They can’t read
        files that come later: those have a new key, which is in the new link only.
      </Trans>
    </p>
  </>
);

const ReplaceText = () => (
  <>
    <p>
      <Trans>You get a new link, for everyone who should still get in.</Trans>
    </p>
    <NewLinkEffect />
  </>
);

const NoPassphraseText = () => (
  <>
    <p>
      <Trans>You get a new link, which opens the folder without a passphrase.</Trans>
    </p>
    <NewLinkEffect />
  </>
);

interface Circumstances {
  isDiscord: boolean;
  /** This page is uploading to the folder. */
  isUploading: boolean;
  /** The bot's card waits for the Discord link. */
  isAskedByBot: boolean;
}

const RevokeText = ({ isDiscord, isUploading }: Circumstances) => (
  <>
    {isUploading && (
      <p className="text-warning">
        <Trans>Files are still uploading. They stop, and will not be in the folder.</Trans>
      </p>
    )}
    <p>
      <Trans>
        People who come later can’t open the files, and the folder takes no further uploads. You can’t take this back:
        to share again, you make a new folder.
      </Trans>
    </p>
    <p>
      {isDiscord ? (
        <Trans>
          It can’t undo what happened until now: our server, and everyone who opened the folder, may have kept the key.
        </Trans>
      ) : (
        <Trans>It can’t undo what happened until now: everyone who opened the folder may have kept the key.</Trans>
      )}
    </p>
  </>
);

function useWording(question: Question, circumstances: Circumstances): Wording {
  const { t } = useLingui();
  switch (question) {
    case 'discord_on':
      return {
        title: t`Turn the Discord link on?`,
        text: <DiscordOnText {...circumstances} />,
        yes: t`Turn On`,
        tone: 'primary',
      };
    case 'discord_off':
      return {
        title: t`Make the link private again?`,
        text: <DiscordOffText />,
        yes: t`Make Private`,
        tone: 'primary',
      };
    case 'no_passphrase':
      return { title: t`Remove the passphrase?`, text: <NoPassphraseText />, yes: t`Remove`, tone: 'primary' };
    case 'replace':
      return { title: t`Make a new link?`, text: <ReplaceText />, yes: t`Make a new link`, tone: 'primary' };
    case 'revoke':
      return {
        title: t`Revoke the link?`,
        text: <RevokeText {...circumstances} />,
        yes: t`Yes, Revoke Link`,
        tone: 'danger',
      };
  }
}

interface LinkQuestionProps extends Circumstances {
  question: Question;
  change: ChangeLink;
  onClose: () => void;
}

/** Confirms, runs the change, and closes on success. */
export function LinkQuestion({ question, change, onClose, ...circumstances }: LinkQuestionProps) {
  const { t } = useLingui();
  const { text, ...wording } = useWording(question, circumstances);
  return (
    <ConfirmDialog
      {...wording}
      description={<div className="grid gap-2">{text}</div>}
      notDone={t`The change was not confirmed.`}
      onClose={(isBusy) => isBusy || onClose()}
      onConfirm={() => change(CHANGES[question])}
    />
  );
}
