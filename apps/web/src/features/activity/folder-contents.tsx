import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { FileItem, FileKind } from '../../engine/files/file-model.ts';
import { bytes } from '../../lib/figures/format.ts';
import { Dots } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';

const KINDS: readonly (readonly [FileKind, MessageDescriptor])[] = [
  ['image', msg`Images`],
  ['video', msg`Videos`],
  ['audio', msg`Audio`],
  ['document', msg`Documents`],
  ['archive', msg`Archives`],
  ['other', msg`Other`],
];

type Counted = Pick<FileItem, 'kind' | 'sizeBytes'>;
const sizeOf = (files: readonly Counted[]) => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const Row = ({ name, files }: { name: string; files: readonly Counted[] }) => {
  const { i18n } = useLingui();
  return (
    <tr>
      <th scope="row" className="py-1 pr-4 text-left font-normal text-muted">
        {name}
      </th>
      <td className="py-1 pr-4 text-right tabular">{i18n.number(files.length)}</td>
      <td className="py-1 text-right tabular">{bytes(sizeOf(files))}</td>
    </tr>
  );
};

/** How many files of each kind a folder has, and how much they are. @param files null while they are listed */
export function FolderContents({ files }: { files: readonly Counted[] | null }) {
  const { t } = useLingui();
  const kinds = KINDS.map(([kind, name]) => ({ name, files: (files ?? []).filter((file) => file.kind === kind) }));
  return (
    <Card title={<Trans>In this folder</Trans>}>
      {files === null ? (
        <div className="mt-3 text-subtle">
          <Dots label={t`Loading`} />
        </div>
      ) : files.length === 0 ? (
        <p className="mt-2 text-sm text-muted">
          <Trans>No files yet.</Trans>
        </p>
      ) : (
        <table className="mt-3 w-full text-sm">
          <thead className="sr-only">
            <tr>
              <th scope="col">
                <Trans>Kind</Trans>
              </th>
              <th scope="col">
                <Trans>Files</Trans>
              </th>
              <th scope="col">
                <Trans>Size</Trans>
              </th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => kind.files.length > 0 && <Row key={kind.name.id} {...kind} name={t(kind.name)} />)}
          </tbody>
          <tfoot className="border-t border-line [&_td]:font-medium [&_td]:text-ink">
            <Row name={t`All`} files={files} />
          </tfoot>
        </table>
      )}
    </Card>
  );
}
