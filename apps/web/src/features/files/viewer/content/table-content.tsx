import { Trans, useLingui } from '@lingui/react/macro';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import {
  TABLE_MAX_COLUMNS,
  TABLE_MAX_ROWS,
  type TextTable,
} from '../../../../engine/files/content/content-messages.ts';
import { TEXT_SHOWN_BYTES } from '../../../../engine/files/read-text.ts';
import { numberText } from '../../../../lib/texts/amounts.ts';
import type { ContentProps } from './content-props.ts';
import { CutNote, useRowsAtOnce } from './content-states.tsx';
import { TextView } from './text-view.tsx';

/** A text without a row is shown as it stands. */
async function parse(client: ContentClient, text: string): Promise<TextTable> {
  const table = await client.ask('table', { text });
  if (table.rows.length === 0) throw new TypeError('not a table');
  return table;
}

const CELL = 'border-line border-r border-b px-3 py-1.5 text-left align-top';
const HEAD = `${CELL} sticky top-0 bg-raised font-semibold`;
const NUMBER = 'border-line border-r border-b bg-raised px-2 py-1.5 text-right font-normal text-subtle tabular';

function Rows({ name, rows }: { name: string; rows: TextTable['rows'] }) {
  const { t } = useLingui();
  const [head = [], ...body] = rows;
  const { shown, more } = useRowsAtOnce(body.length, head.length);
  return (
    <>
      <table className="border-separate border-spacing-0 border-line border-t border-l text-xs">
        <caption className="sr-only">{name}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${NUMBER} sticky top-0`}>
              <span className="sr-only">{t`Row`}</span>
            </th>
            {head.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={at} scope="col" dir="auto" className={HEAD}>
                {cell || <span className="sr-only">{t`Column ${at + 1}`}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(0, shown).map((row, rowAt) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
            <tr key={rowAt}>
              <th scope="row" className={NUMBER}>
                {rowAt + 1}
              </th>
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={at} dir="auto" className={`${CELL} max-w-96 whitespace-pre-wrap wrap-anywhere min-w-16`}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

/** A table in a text. Its first row names the columns. */
export function TableContent(props: ContentProps) {
  const { t } = useLingui();
  const { name, sizeBytes } = props.file;
  const [rows, columns] = [numberText(TABLE_MAX_ROWS, 0), numberText(TABLE_MAX_COLUMNS, 0)];
  return (
    <TextView view={props} label={t`Table ${name}`} parse={parse}>
      {(table, { isCut }) => (
        <>
          {(table.isCut || isCut || sizeBytes > TEXT_SHOWN_BYTES) && (
            <CutNote>
              <Trans>
                These are the first rows and columns, at most {rows} by {columns}. Download the file to see the rest.
              </Trans>
            </CutNote>
          )}
          <Rows name={name} rows={table.rows} />
        </>
      )}
    </TextView>
  );
}
