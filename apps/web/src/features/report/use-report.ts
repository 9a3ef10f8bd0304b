import { t } from '@lingui/core/macro';
import type { OperatorKeyList, ReportInput, ReportReason } from '@satchel/contract/abuse';
import { PATHS } from '@satchel/contract/paths';
import { useState } from 'react';
import { useServerQuery } from '../../account/session/query-client.ts';
import { sealToOperators } from '../../engine/reports/report-sealing.ts';
import { getJson, sendJson } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { useAct } from '../../ui/sections/use-act.ts';

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
  useServerQuery({
    queryKey: ['operator_keys'],
    queryFn: ({ signal }) => getJson<OperatorKeyList>(PATHS.reportKeys, { signal }),
    enabled: isWanted,
  }).data ?? [];

/** State of the report form, and sending it. */
export function useReport({ slug, folderKeys }: ReportedFolder) {
  const [draft, setDraft] = useState(EMPTY);
  const [isSent, setSent] = useState(false);
  const { busy, failure, run, forgive } = useAct();
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
    const isDone = await run(async () => {
      if (draft.reason === null) return t`Say what is wrong with the folder.`;
      return send(draft.reason).catch((error: unknown) => {
        if (navigator.onLine) throw error;
        return t`You’re offline, so your report was not sent. Send it once you are back online.`;
      });
    });
    if (!isDone) return;
    setSent(true);
    announce(t`Report sent`);
  }

  return {
    draft,
    change: (part: Partial<ReportDraft>) => {
      setDraft((before) => ({ ...before, ...part }));
      forgive();
    },
    canIncludeKey: folderKeys !== null && operators.length > 0,
    isSent,
    busy,
    failure,
    submit: () => void submit(),
  };
}
