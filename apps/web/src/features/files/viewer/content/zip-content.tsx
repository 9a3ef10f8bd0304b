import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Folder, Lock } from 'lucide-react';
import { useCallback } from 'react';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import type { ZipLine, ZipListing } from '../../../../engine/files/content/zip-directory.ts';
import { bytes } from '../../../../lib/figures/format.ts';
import { numberText } from '../../../../lib/texts/amounts.ts';
import type { ContentProps } from './content-props.ts';
import { ContentState, Scroll, useRowsAtOnce, Warning } from './content-states.tsx';
import { useContent } from './use-content.ts';

/** A zip that unpacks to this multiple of its size, and to this much, is most likely made to fill a disk. */
const BOMB_TIMES = 200;
const BOMB_BYTES = 1024 ** 3;

function Notes({ listing, unpacked, sizeBytes }: { listing: ZipListing; unpacked: number; sizeBytes: number }) {
  const { lines, claimedCount, isCut, isDamaged } = listing;
  const [shown, all] = [numberText(lines.length, 0), numberText(claimedCount, 0)];
  const size = bytes(unpacked);
  return (
    <>
      {isDamaged && (
        <Warning>
          <Trans>The list in this zip is damaged or false: other programs may find other files in it.</Trans>
        </Warning>
      )}
      {unpacked > BOMB_BYTES && unpacked > sizeBytes * BOMB_TIMES && (
        <Warning>
          <Trans>This zip says that its files take {size} once they are unpacked. Unpacking it may fill a disk.</Trans>
        </Warning>
      )}
      <p className="mx-auto mb-3 max-w-4xl text-xs text-muted">
        {isCut ? (
          <Trans>
            The first {shown} of {all} entries.
          </Trans>
        ) : (
          <Trans>
            <Plural value={lines.length} one="# entry" other="# entries" />, {size} unpacked.
          </Trans>
        )}{' '}
        <Trans>This is the zip’s own list; nothing was unpacked.</Trans>
      </p>
    </>
  );
}

function Row({ line }: { line: ZipLine }) {
  const { t } = useLingui();
  const { path, isDirectory, isLocked, sizeBytes, packedBytes } = line;
  return (
    <tr className="border-line border-b">
      <th scope="row" dir="auto" className="px-2 py-1.5 text-left font-normal wrap-anywhere">
        {isDirectory && <Folder size={13} role="img" aria-label={t`Directory`} className="mr-1.5 inline text-subtle" />}
        {isLocked && (
          <Lock size={13} role="img" aria-label={t`With a password`} className="mr-1.5 inline text-warning" />
        )}
        <bdi translate="no">{path}</bdi>
      </th>
      <td className="px-2 py-1.5 text-right whitespace-nowrap tabular">{isDirectory ? '' : bytes(sizeBytes)}</td>
      <td className="px-2 py-1.5 text-right whitespace-nowrap text-muted tabular max-sm:hidden">
        {isDirectory ? '' : bytes(packedBytes)}
      </td>
    </tr>
  );
}

function Listing({ name, listing, sizeBytes }: { name: string; listing: ZipListing; sizeBytes: number }) {
  const { shown, more } = useRowsAtOnce(listing.lines.length, 3);
  const unpacked = listing.lines.reduce((sum, line) => sum + line.sizeBytes, 0);
  return (
    <>
      <Notes listing={listing} unpacked={unpacked} sizeBytes={sizeBytes} />
      {listing.lines.length > 0 && (
        <table className="mx-auto w-full max-w-4xl border-collapse text-xs">
          <caption className="sr-only">{name}</caption>
          <thead>
            <tr className="border-line border-b text-muted">
              <th scope="col" className="px-2 py-1.5 text-left font-medium">
                <Trans>Name</Trans>
              </th>
              <th scope="col" className="px-2 py-1.5 text-right font-medium">
                <Trans>Size</Trans>
              </th>
              <th scope="col" className="px-2 py-1.5 text-right font-medium max-sm:hidden">
                <Trans>Packed</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {listing.lines.slice(0, shown).map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may have one path
              <Row key={at} line={line} />
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  );
}

/** What is in a zip, by its own list: read from its end, without fetching the rest. */
export function ZipContent(props: ContentProps) {
  const { t } = useLingui();
  const { name } = props.file;
  const sizeBytes = props.opened?.sizeBytes ?? 0;
  const load = useCallback((client: ContentClient) => client.ask('zip', { sizeBytes }), [sizeBytes]);
  const content = useContent(props, load);
  return (
    <ContentState {...props} content={content}>
      {(listing) => (
        <Scroll label={t`Contents of ${name}`}>
          <Listing name={name} listing={listing} sizeBytes={sizeBytes} />
        </Scroll>
      )}
    </ContentState>
  );
}
