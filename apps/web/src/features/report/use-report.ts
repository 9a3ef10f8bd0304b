import { t } from '@lingui/core/macro';
import type { OperatorKeyList, ReportInput, ReportReason } from '@satchel/contract/abuse';
import { toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../../account/session/query-client.ts';
import { sealToOperators } from '../../engine/reports/report-sealing.ts';
import { getJson, sendJson } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { errorText } from '../../lib/texts/error-text.ts';

export interface ReportedFolder {
  readonly slug: string;
  /** The folder's keys if this browser has them, oldest first; 64 bytes each. */
  readonly folderKeys: readonly Uint8Array<ArrayBuffer>[] | null;
}

/** Values of the form. */
export interface ReportDraft {
  readonly reason: ReportReason | null;
  readonly note: string;
  readonly includesKey: boolean;
}

const EMPTY: ReportDraft = { reason: null, note: '', includesKey: false };

/** The operators' public keys to seal to; empty until they are loaded. */
const useOperatorKeys = (isWanted: boolean): OperatorKeyList =>
  useQuery(
    {
      queryKey: ['operator_keys'],
      queryFn: ({ signal }) => getJson<OperatorKeyList>(PATHS.reportKeys, { signal }),
      enabled: isWanted,
    },
    queryClient,
  ).data ?? [];

/** State of the report form, and sending it. */
export function useReport({ slug, folderKeys }: ReportedFolder) {
  const [draft, setDraft] = useState(EMPTY);
  const [state, setState] = useState<'open' | 'busy' | 'sent'>('open');
  const [failure, setFailure] = useState<string | null>(null);
  const operators = useOperatorKeys(folderKeys !== null);

  async function send(reason: ReportReason): Promise<void> {
    const keys = draft.includesKey ? folderKeys : null;
    const report: ReportInput = {
      folder_slug: slug,
      reason,
      note: draft.note.trim() || null,
      sealed_keys: keys === null ? [] : await sealToOperators(slug, keys, operators),
    };
    await sendJson('POST', PATHS.reports, report);
  }

  async function submit(): Promise<void> {
    if (state === 'busy') return;
    if (draft.reason === null) return setFailure(t`Say what is wrong with the folder.`);
    setState('busy');
    setFailure(null);
    try {
      await send(draft.reason);
      setState('sent');
      announce(t`Report sent`);
    } catch (error) {
      setState('open');
      setFailure(
        navigator.onLine
          ? errorText(toAppError(error))
          : t`You’re offline. Nothing was sent; send it once you are back online.`,
      );
    }
  }

  return {
    draft,
    change: (part: Partial<ReportDraft>) => {
      setDraft((before) => ({ ...before, ...part }));
      setFailure(null);
    },
    canIncludeKey: folderKeys !== null && operators.length > 0,
    state,
    failure,
    submit: () => void submit(),
  };
}
