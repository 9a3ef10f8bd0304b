import { Trans, useLingui } from '@lingui/react/macro';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Claim, TrustQuestion as Question } from '../../engine/keys/folder-trust.ts';
import { announce } from '../../lib/base/announce.ts';
import { Button } from '../../ui/base/button.tsx';
import { Banner } from '../../ui/states/banner.tsx';

/** Server facts that differ from this device's records; the person decides before any upload (CONTAINER §6). */

type Answer = 'keep' | 'switch';

interface Wording {
  readonly title: string;
  readonly text: ReactNode;
  /** The answer that changes nothing; null if there is nothing to keep. */
  readonly keep: string | null;
  /** The answer that deletes the pin; null if it can't be true. */
  readonly change: string | null;
}

function useWording(question: Question): Wording {
  const { t } = useLingui();
  switch (question) {
    case 'discord':
      return {
        title: t`The server says that this folder is a Discord link now.`,
        text: (
          <Trans>
            If you switched it on another device, go on; else keep it private. With a Discord link, our server can read
            the files while it is on.
          </Trans>
        ),
        keep: t`Keep it private`,
        change: t`I switched it`,
      };
    case 'plain':
      return {
        title: t`The server says that this folder is not encrypted now.`,
        text: (
          <Trans>
            That is chosen when a folder is made, and never changes. Keep it private: what you upload is encrypted with
            this folder’s key, as before.
          </Trans>
        ),
        keep: t`Keep it private`,
        change: null,
      };
    case 'names':
      return {
        title: t`The server says that this folder shows file names now.`,
        text: (
          <Trans>
            If you switched that on another device, go on; else keep it private: our server can’t read the names of what
            you upload then.
          </Trans>
        ),
        keep: t`Keep it private`,
        change: t`I switched it`,
      };
    case 'servers_key':
      return {
        title: t`Our server holds the key of this folder.`,
        text: (
          <Trans>
            It is a Discord link, says the server, and this device has no key of its own for it. What you upload is
            encrypted with the key that the server sent: it can read these files. To go on without it, open the full
            link on this device, or make a new folder.
          </Trans>
        ),
        keep: null,
        change: t`Use the server’s key`,
      };
  }
}

interface TrustQuestionProps {
  question: Question;
  /** Chosen files wait for the answer. */
  hasFiles: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
}

/** The question in the upload zone. Chosen files wait for the answer. */
export function TrustQuestion({ question, hasFiles, onAnswer }: TrustQuestionProps) {
  const { t } = useLingui();
  const { title, text, keep, change } = useWording(question);
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
              {keep}
            </Button>
          )}
          {change !== null && (
            <Button disabled={busy} onClick={() => answer('switch')}>
              {change}
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
            The server still says that it is a Discord link. What you upload here is encrypted with the folder’s own
            key. A new private link ends the Discord link, if there is one.
          </Trans>
        )}
        {against === 'plain' && (
          <Trans>
            The server still says that it is not encrypted. What you upload here is encrypted with the folder’s own key.
          </Trans>
        )}
        {against === 'names' && (
          <Trans>The server still says that it shows file names. The names of what you upload here are sealed.</Trans>
        )}
      </p>
    </Banner>
  );
}
