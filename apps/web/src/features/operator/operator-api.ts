import type {
  ActList,
  Ban,
  BanInput,
  BanList,
  DeniedBlob,
  DeniedBlobInput,
  DeniedBlobList,
  OperatorAct,
  OperatorKeyList,
  Report,
  ReportList,
  SiteStatus,
  TakedownInput,
  TierInput,
} from '@satchel/contract/abuse';
import { PATHS } from '@satchel/contract/paths';
import { getJson, sendJson } from '../../lib/api/api.ts';
import type { LoadPage } from './use-pages.ts';

/** The operator's calls. Each throws the server's AppError. */

const at = (path: string) => `${PATHS.operator}/${path}`;
const query = (entries: Record<string, string | undefined>) =>
  new URLSearchParams(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined));
const post = (path: string, body: unknown) => sendJson<undefined>('POST', at(path), body);
const remove = (path: string) => sendJson<undefined>('DELETE', at(path), undefined);

export type ReportState = 'open' | 'closed';

export const reportPages =
  (state: ReportState): LoadPage<Report> =>
  async (last, signal) => {
    const { reports, has_more } = await getJson<ReportList>(at(`reports?${query({ state, before: last?.id })}`), {
      signal,
    });
    return { items: reports, has_more };
  };

export const actPages: LoadPage<OperatorAct> = async (last, signal) => {
  const { acts, has_more } = await getJson<ActList>(at(`acts?${query({ before: last?.id })}`), { signal });
  return { items: acts, has_more };
};

const whole =
  <T>(path: string): LoadPage<T> =>
  async (_last, signal) => ({ items: await getJson<T[]>(path, { signal }), has_more: false });

export const banPages: LoadPage<Ban> = async (last, signal) => {
  const behind = query({ before: last?.created_at, before_id: last?.discord_id });
  const { bans, has_more } = await getJson<BanList>(at(`bans?${behind}`), { signal });
  return { items: bans, has_more };
};

export const deniedPages: LoadPage<DeniedBlob> = async (last, signal) => {
  const behind = query({ before: last?.created_at, before_id: last?.sha256 });
  const { denied_blobs, has_more } = await getJson<DeniedBlobList>(at(`denied_blobs?${behind}`), { signal });
  return { items: denied_blobs, has_more };
};

export const allOperatorKeys = whole<OperatorKeyList[number]>(PATHS.reportKeys);

export const dismissReport = (id: string) => post(`reports/${id}/dismiss`, {});
export const takeDown = (input: TakedownInput) => post('takedowns', input);
export const ban = (input: BanInput) => post('bans', input);
export const unban = (discordId: string) => remove(`bans/${discordId}`);
export const denyFile = (input: DeniedBlobInput) => post('denied_blobs', input);
export const allowFile = (sha256: string) => remove(`denied_blobs/${sha256}`);
export const giveTier = (input: TierInput) => post('tiers', input);
export const removeOperatorKey = (id: string) => remove(`operator_keys/${id}`);
export const siteStatus = (signal: AbortSignal) => getJson<SiteStatus>(at('site'), { signal });
export const closeSite = (isClosed: boolean) => sendJson<undefined>('PUT', at('site/closed'), { is_closed: isClosed });
export const addOperatorKey = (publicKey: string) =>
  sendJson<{ id: string }>('POST', at('operator_keys'), { public_key: publicKey });
