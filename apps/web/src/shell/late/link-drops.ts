import { t } from '@lingui/core/macro';
import type { PastedLink } from '@satchel/client/keys/pasted-link';
import { takeEarlyDrop } from '../../engine/early-drop.ts';
import { importPatiently } from '../../lib/base/patient-import.ts';
import { notify } from '../../lib/base/toast.ts';

export interface LinkDropTarget {
  /** The page's own origin, and the one that links of this site have. */
  readonly origins: readonly string[];
  /** The slug of the folder that the page shows; null on other pages. */
  readonly shownSlug: () => string | null;
  /** Opens a folder's page; `hash` has no `#`. */
  readonly open: (slug: string, hash: string) => void;
}

/** Dropping onto a field fills the field, as everywhere. */
const FIELD = 'input, textarea, select, [contenteditable]';
const isForField = ({ target }: DragEvent): boolean => target instanceof Element && target.closest(FIELD) !== null;

/** A picture that is dragged out of another page is a file and an address: it is uploaded, not opened. */
function carriesLink({ dataTransfer }: DragEvent): boolean {
  const types = dataTransfer?.types ?? [];
  return !types.includes('Files') && (types.includes('text/uri-list') || types.includes('text/plain'));
}

/** What a person reads when what they dropped opens nothing. */
function refusalOf(link: PastedLink): string {
  if (link.kind === 'elsewhere') {
    const { host } = link;
    return t`This link leads to another site, ${host}. Only links of this site open here.`;
  }
  if (link.kind === 'damaged') return t`A part of this link is missing or changed. Copy the whole link again.`;
  if (link.kind === 'key') return t`A key alone does not say which folder it opens. Drop the whole link.`;
  return t`There is no link to a folder in what you dropped.`;
}

async function take(text: string, { origins, shownSlug, open }: LinkDropTarget): Promise<void> {
  const { readPastedLink } = await importPatiently(() => import('@satchel/client/keys/pasted-link'));
  const link = readPastedLink(text, origins);
  const slug = link.kind === 'folder' ? link.slug : shownSlug();
  if ('hash' in link && slug !== null) open(slug, link.hash);
  else notify(() => refusalOf(link), 'error');
}

/** The first line that is no comment (RFC 2483), or else the text. */
function addressIn(uris: string, text: string): string {
  const [address = text] = uris.split(/\r?\n/).filter((line) => line && !line.startsWith('#'));
  return address;
}

/** Opens a link that is dropped onto any page, from another window or program, and marks the page while one is above it. */
export function startLinkDrops(target: LinkDropTarget): void {
  // What was dragged from this page itself is never a link to open.
  let isOwn = false;
  const mark = (isOver: boolean) => document.documentElement.toggleAttribute('data-link-over', isOver);
  const isMeant = (event: DragEvent): boolean => !isOwn && carriesLink(event) && !isForField(event);
  const end = () => {
    isOwn = false;
    mark(false);
  };
  window.addEventListener('dragstart', () => {
    isOwn = true;
  });
  window.addEventListener('dragend', end);
  window.addEventListener('dragover', (event) => {
    mark(isMeant(event));
    if (!isMeant(event)) return;
    event.preventDefault();
    // A source that allows copies only would refuse "link", and one that allows links only would refuse "copy".
    if (event.dataTransfer?.effectAllowed === 'link') event.dataTransfer.dropEffect = 'link';
  });
  // Towards nothing: the pointer has left the window.
  window.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false));
  window.addEventListener('drop', (event) => {
    const { dataTransfer } = event;
    const isTaken = isMeant(event);
    end();
    if (!isTaken || dataTransfer === null) return;
    event.preventDefault();
    void take(addressIn(dataTransfer.getData('text/uri-list'), dataTransfer.getData('text/plain')), target);
  });
  const early = takeEarlyDrop('link');
  if (early) void take(addressIn(early.uris, early.text), target);
}
