import { Trans } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Copy, QrCode as QrIcon, Share2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useNow } from '../../lib/browser/hooks.ts';
import { countdownSpoken } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { DiscordMark } from '../../ui/base/discord-mark.tsx';
import { LinkNote } from './link-note.tsx';
import { linkMeaning } from './link-state.ts';
import { QrCode } from './qr-code.tsx';
import { SendToDiscord } from './send-to-discord.tsx';

interface ShareMomentProps {
  folder: FolderCompleteData;
  /** What the folder is called. */
  name: string;
  role: Role;
  /** Something else on the page comes first. */
  isSecond: boolean;
  /** The page's address, and the fragment with the key if there is one to share. */
  link: { readonly page: string; readonly key: string | null };
  /** The link was copied less than two seconds ago. */
  copied: boolean;
  onCopy: () => void;
  /** Opens Share, where the owner changes who opens the folder. */
  onShare: () => void;
}

/** What the owner came for: the link, once the files are in. */
export function ShareMoment({ folder, name, role, isSecond, link, copied, onCopy, onShare }: ShareMomentProps) {
  const discordId = useId();
  const codeId = useId();
  const [isSending, setSending] = useState(false);
  const [isCoded, setCoded] = useState(false);
  const left = countdownSpoken(Date.parse(folder.folder_expires_at) - useNow());
  const url = `${link.page}${link.key ?? ''}`;
  const hasKey = link.key !== null;
  const meaning = linkMeaning({ folder, hasKey, includesKey: hasKey });
  const canSend = 'share' in navigator;
  // Closing the system's share sheet is not an error.
  const send = () => void navigator.share({ url, title: name }).catch(() => {});
  const code = <QrCode url={url} hasKey={hasKey} />;
  return (
    <div className="flex gap-6">
      <div className="grid min-w-0 flex-1 content-start gap-4">
        <div className="flex flex-wrap gap-2.5">
          {/* The button that was pressed is gone: the focus comes here, unless files have to be sent again. */}
          <Button
            tone={isSecond ? 'quiet' : 'primary'}
            size="lg"
            data-rest
            onClick={onCopy}
            className="min-w-44 max-sm:grow"
          >
            {copied ? (
              <Trans>✓ Copied!</Trans>
            ) : (
              <>
                <Copy size={17} aria-hidden />
                <Trans>Copy link</Trans>
              </>
            )}
          </Button>
          <Button
            size="lg"
            aria-expanded={isSending}
            aria-controls={isSending ? discordId : undefined}
            onClick={() => setSending(!isSending)}
            className="max-sm:grow"
          >
            <DiscordMark size={18} />
            <Trans>Send to Discord</Trans>
          </Button>
          {canSend && (
            <Button size="lg" onClick={send} className="max-sm:grow">
              <Share2 size={16} aria-hidden />
              <Trans>Send with…</Trans>
            </Button>
          )}
          {/* Wide screens show it at once. */}
          <Button
            size="lg"
            aria-expanded={isCoded}
            aria-controls={isCoded ? codeId : undefined}
            onClick={() => setCoded(!isCoded)}
            className="max-sm:grow sm:hidden"
          >
            <QrIcon size={17} aria-hidden />
            <Trans>QR code</Trans>
          </Button>
        </div>
        {isCoded && (
          <div id={codeId} className="mx-auto sm:hidden">
            {code}
          </div>
        )}
        {isSending && (
          <div id={discordId}>
            <SendToDiscord folder={folder} meaning={meaning} name={name} />
          </div>
        )}
        <LinkNote meaning={meaning} role={role} folder={folder} />
        <p className="text-xs text-muted">
          <Trans>Works for another {left}.</Trans>{' '}
          <button
            type="button"
            onClick={onShare}
            className="rounded-chip text-ink underline decoration-line underline-offset-4 hover:decoration-current"
          >
            <Trans>Change who can open it</Trans>
          </button>
        </p>
      </div>
      <div className="shrink-0 max-sm:hidden">{code}</div>
    </div>
  );
}
