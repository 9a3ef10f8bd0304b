import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { Claim, TrustQuestion as Question } from '@satchel/client/keys/folder-trust';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { announce } from '../../lib/base/announce.ts';
import { Button } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';

/** Server facts that differ from this device's records; the person decides before any upload (docs/container.md §6). */

type Answer = 'keep' | 'switch';

interface Wording {
  readonly title: MessageDescriptor;
  readonly text: ReactNode;
  /** The answer that changes nothing; null if there is nothing to keep. */
  readonly keep: MessageDescriptor | null;
  /** The answer that deletes the pin; null if it can't be true. */
  readonly change: MessageDescriptor | null;
}

const KEEP = msg`Keep it private`;
const SWITCHED = msg`I switched it`;

const WORDINGS: Readonly<Record<Question, Wording>> = {
  discord: {
    title: msg`The server says that this folder is a Discord link now.`,
    text: (
      <Trans>
        If you switched to a Discord link on another device, continue. If not, keep the folder private: while a Discord
        link is on, our server can read the files.
      </Trans>
    ),
    keep: KEEP,
    change: SWITCHED,
  },
  plain: {
    title: msg`The server says that this folder is not encrypted now.`,
    text: (
      <Trans>
        That is chosen when a folder is made, and never changes. Keep it private: what you upload is encrypted with this
        folder’s key, as before.
      </Trans>
    ),
    keep: KEEP,
    change: null,
  },
  names: {
    title: msg`The server says that this folder shows file names now.`,
    text: (
      <Trans>
        If you changed that on another device, continue. If not, keep the folder private: our server then can’t read the
        names of what you upload.
      </Trans>
    ),
    keep: KEEP,
    change: SWITCHED,
  },
  servers_key: {
    title: msg`Our server holds the key of this folder.`,
    text: (
      <Trans>
        The server says that this folder is a Discord link, and this device has no key of its own for the folder. What
        you upload is encrypted with the server’s key, so the server can read it. To upload without that key, open the
        full link on this device, or make a new folder.
      </Trans>
    ),
    keep: null,
    change: msg`Use the server’s key`,
  },
};

interface TrustQuestionProps {
  question: Question;
  /** Chosen files wait for the answer. */
  hasFiles: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
}

/** The question in the upload zone. Chosen files wait for the answer. */
export function TrustQuestion({ question, hasFiles, onAnswer }: TrustQuestionProps) {
  const { t } = useLingui();
  const { text, keep, change, ...wording } = WORDINGS[question];
  const title = t(wording.title);
  const [busy, setBusy] = useState(false);
  useEffect(() => announce(title, true), [title]);
  const answer = (reply: Answer) => {
    setBusy(true);
    void onAnswer(reply).finally(() => setBusy(false));
  };
  return (
    <Banner
      tone="warning"
      label={t`Question before uploading`}
      icon={<ShieldAlert size={20} aria-hidden className="text-warning" />}
      action={
        <span className="flex flex-wrap gap-2">
          {keep !== null && (
            <Button tone="primary" busy={busy} onClick={() => answer('keep')}>
              {t(keep)}
            </Button>
          )}
          {change !== null && (
            <Button disabled={busy} onClick={() => answer('switch')}>
              {t(change)}
            </Button>
          )}
        </span>
      }
    >
      <p className="font-semibold">{title}</p>
      <p className="text-muted">{text}</p>
      {hasFiles && (
        <p className="text-muted">
          <Trans>The files that you have chosen wait for your answer.</Trans>
        </p>
      )}
    </Banner>
  );
}

interface TrustKeptProps {
  against: Claim;
  /** Opens the control that creates a new private link. */
  onShare: () => void;
}

/** Shown while the server repeats a claim that the person rejected. */
export function TrustKept({ against, onShare }: TrustKeptProps) {
  const { t } = useLingui();
  return (
    <Banner
      tone="neutral"
      label={t`Kept private`}
      icon={<ShieldCheck size={20} aria-hidden className="text-success" />}
      action={
        against === 'discord' && (
          <Button onClick={onShare}>
            <Trans>End the Discord link</Trans>
          </Button>
        )
      }
    >
      <p className="font-semibold">
        <Trans>You keep this folder private</Trans>
      </p>
      <p className="text-muted">
        {against === 'discord' && (
          <Trans>
            The server still says that this folder is a Discord link. What you upload here is encrypted with the
            folder’s own key. A new private link ends the Discord link, if there is one.
          </Trans>
        )}
        {against === 'plain' && (
          <Trans>
            The server still says that this folder is not encrypted. What you upload here is encrypted with the folder’s
            own key.
          </Trans>
        )}
        {against === 'names' && (
          <Trans>
            The server still says that this folder shows file names. The names of what you upload here are sealed.
          </Trans>
        )}
      </p>
    </Banner>
  );
}
