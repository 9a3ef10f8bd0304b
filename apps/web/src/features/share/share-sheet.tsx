import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { Copy, KeyRound, Share2 } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { useCopy, useNow } from '../../lib/browser/hooks.ts';
import { countdownSpoken } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Switch } from '../../ui/forms/field.tsx';
import { LinkNote } from './link-note.tsx';
import { linkMeaning } from './link-state.ts';
import { QrCode } from './qr-code.tsx';

/** The page's address, and the fragment with the key if there is one to share. */
interface Link {
  readonly page: string;
  readonly key: string | null;
}

interface LinkFieldProps {
  /** The page's address. */
  page: string;
  /** The fragment, when the link includes the key. */
  fragment: string | null;
  copied: boolean;
  onCopy: () => void;
  /** Copy takes the initial focus. */
  focusCopy: boolean;
}

/** The link to share, with its key highlighted. One click selects all of it, for manual copying. */
function LinkField({ page, fragment, copied, onCopy, focusCopy }: LinkFieldProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focusCopy) button.current?.focus();
  }, [focusCopy]);
  const { origin, pathname } = new URL(page);
  return (
    <div className="flex items-center gap-1 rounded-control bg-sunken p-1 pl-3 shadow-[inset_0_0_0_1px_var(--edge)]">
      <p className="min-w-0 flex-1 select-all truncate font-mono text-xs">
        <span className="sr-only">{origin}</span>
        <span className="text-ink">{pathname}</span>
        {fragment !== null && <span className="text-accent-text">{fragment}</span>}
      </p>
      <Button ref={button} tone="primary" size="sm" onClick={onCopy}>
        {copied ? (
          <Trans>✓ Copied!</Trans>
        ) : (
          <>
            <Copy size={15} aria-hidden />
            <Trans>Copy</Trans>
          </>
        )}
      </Button>
    </div>
  );
}

interface ShareSheetProps {
  folder: FolderCompleteData;
  /** What the folder is called. */
  name: string;
  role: Role;
  link: Link;
  /** The page copied the full link less than two seconds ago. */
  copied: boolean;
  onClose: () => void;
  /** Called once it is on the screen. */
  onShown: () => void;
  /** Opened by the page, so that the person can press Copy. */
  focusCopy: boolean;
  /** What the folder holds, at a glance. */
  preview: ReactNode;
  /** The owner's changes to the link. */
  children?: ReactNode;
}

/** Copies with a toast; on failure explains how to copy by hand. */
function useSpokenCopy(copiedText: string) {
  const { t } = useLingui();
  const [copied, copy] = useCopy();
  const run = async (text: string) => {
    if (await copy(text)) announce(copiedText);
    else notify(() => t`The browser did not let us copy. Select the link and copy it by hand.`, 'error');
  };
  return [copied, (text: string) => void run(text)] as const;
}

function SendButtons({ url, title, apart }: { url: string; title: string; apart: string | null }) {
  const { t } = useLingui();
  const [keyCopied, copyKey] = useSpokenCopy(t`Key copied`);
  const canSend = 'share' in navigator;
  if (apart === null && !canSend) return null;
  // Closing the system's share sheet is not an error.
  const send = () => void navigator.share({ url, title }).catch(() => {});
  return (
    <div className="flex flex-wrap gap-2">
      {apart !== null && (
        <Button onClick={() => copyKey(apart)} className="grow">
          <KeyRound size={15} aria-hidden />
          {keyCopied ? <Trans>✓ Copied!</Trans> : <Trans>Copy key</Trans>}
        </Button>
      )}
      {canSend && (
        <Button onClick={send} className="grow">
          <Share2 size={15} aria-hidden />
          <Trans>Send with…</Trans>
        </Button>
      )}
    </div>
  );
}

function useShare({ folder, link, copied: pageCopied }: ShareSheetProps) {
  const { t } = useLingui();
  const [wantsKey, setWantsKey] = useState(true);
  const [copiedHere, copy] = useSpokenCopy(t`Link copied`);
  const hasKey = link.key !== null;
  const includesKey = hasKey && wantsKey;
  const meaning = linkMeaning({ folder, hasKey, includesKey });
  const fragment = includesKey ? link.key : null;
  const url = `${link.page}${fragment ?? ''}`;
  const copied = copiedHere || (pageCopied && includesKey === hasKey);
  return { meaning, fragment, url, copied, copy: () => copy(url), wantsKey, setWantsKey };
}

/** Share: the link is copied already; explains it, and offers other ways to share it. */
export function ShareSheet(props: ShareSheetProps) {
  const { folder, name, role, link, onClose, focusCopy, preview, children } = props;
  const { t } = useLingui();
  const onShown = useEffectEvent(props.onShown);
  useEffect(() => onShown(), []);
  const { meaning, fragment, url, copied, copy, wantsKey, setWantsKey } = useShare(props);
  const leftMs = Date.parse(folder.folder_expires_at) - useNow();
  const left = countdownSpoken(leftMs);
  return (
    <Dialog onClose={onClose} title={t`Share ${name}`} description={t`Works for another ${left}.`} widthPx={560}>
      {preview}
      <div className="grid gap-6 sm:grid-cols-[11rem_minmax(0,1fr)]">
        <div className="mx-auto max-sm:order-last">
          <QrCode url={url} hasKey={fragment !== null} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <LinkField page={link.page} fragment={fragment} copied={copied} onCopy={copy} focusCopy={focusCopy} />
          {link.key !== null && <Switch label={t`Include the key`} checked={wantsKey} onCheckedChange={setWantsKey} />}
          <LinkNote meaning={meaning} role={role} folder={folder} />
          <SendButtons url={url} title={name} apart={wantsKey ? null : link.key} />
        </div>
      </div>
      {children && <div className="mt-6 border-t border-line pt-5">{children}</div>}
    </Dialog>
  );
}
