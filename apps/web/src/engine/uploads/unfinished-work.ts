import { identify } from '@satchel/client/send/identity';
import { standingOf } from '@satchel/client/send/line/requests';
import { isBusy, isSending, type QueueState, type UploadItem } from '@satchel/client/send/list/queue';
import { type ChosenFile, SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { joinPath, splitPath } from '@satchel/contract/files/path-parts';
import { toldServerTimeMs } from '../../lib/api/server-clock.ts';
import { cancelUpload } from './log/cancel-upload.ts';
import { handleOf } from './log/dropped-handles.ts';
import { forgetHandles, handlesAt, keepHandles, purgeHandles, readHandle } from './log/file-handles.ts';
import { findUnfinished, type UnfinishedUpload } from './log/unfinished-uploads.ts';
import { keepUnsent, labelOf, type UnsentLabel, unsentNames } from './log/unsent-names.ts';
import { browserNetwork } from './network.ts';
import type { UploadTarget } from './upload-target.ts';

/** Shown after a page was left while uploading: the files to choose again. */
export interface UnfinishedWork {
  readonly uploads: readonly UnfinishedUpload[];
  /** Ids of uploads that continue by a click, since this browser can find their files itself. */
  readonly findable: readonly string[];
  /** Unsent names. */
  readonly notBegun: readonly string[];
  /** How many files another tab is uploading to this folder. */
  readonly elsewhere: number;
}

export interface UnfinishedDeps {
  readonly folderId: string;
  readonly target: () => UploadTarget | null;
  readonly state: () => { readonly queue: QueueState; readonly unfinished: UnfinishedWork };
  readonly onWork: (work: UnfinishedWork) => void;
  /** Files that were chosen again are on the server in part: percents by the ids of their items. */
  readonly onRecognised: (percents: ReadonlyMap<string, number>) => void;
  /** Takes a found file onto the list, and sends it. */
  readonly onFound: (file: ChosenFile) => void;
  /** Files that could not be found, or may not be read. */
  readonly onLost: (names: readonly (string | null)[]) => void;
}

export const NO_WORK: UnfinishedWork = { uploads: [], findable: [], notBegun: [], elsewhere: 0 };
/** How often to look whether another tab is done. */
const ELSEWHERE_EVERY_MS = 4000;

const identitiesOf = (items: readonly UploadItem[], { folderId, userId }: UploadTarget) =>
  Promise.all(
    items.map(async ({ id, file, path }) => ({
      id,
      ...(await identify({ file, path, folderId, userId: userId ?? '' })),
    })),
  );

const sealingKeys = ({ folder, keys }: UploadTarget) => (folder.hide_names ? keys : null);
const isUnderWay = (item: UploadItem) => item.queued || isSending(item) || item.status === 'paused';
/** Started, and not in the log, as far as is known here: a large file not yet, a small one never. */
const isUnsaid = (item: UploadItem) =>
  isUnderWay(item) && (item.bytesTotal === 0 || item.sizeBytes <= SMALL_FILE_BYTES);

/**
 * The handles of files under way. Only a large file leaves an upload to continue with: a small one is sent whole or not at
 * all. A browser that keeps no handles has the files chosen again.
 */
function createHandles() {
  let found: ReadonlyMap<string, FileSystemFileHandle> = new Map();
  const kept = new Set<string>();
  return {
    at: (place: string) => found.get(place),
    async look(places: readonly string[]): Promise<void> {
      const serverTimeMs = toldServerTimeMs();
      if (serverTimeMs !== null) await purgeHandles(serverTimeMs);
      found = await handlesAt(places);
    },
    /** Keeps the handles of files that were begun, and forgets the handles of finished ones. */
    async follow(items: readonly UploadItem[], target: UploadTarget): Promise<void> {
      const large = items.filter(
        ({ file, path, sealed, sizeBytes }) =>
          // Only the sealed label says where it goes: no directory of a folder is kept readable on the device.
          sizeBytes > SMALL_FILE_BYTES && (sealed || path === file.name) && handleOf(file),
      );
      const byId = new Map(large.map((item) => [item.id, item]));
      const expiresAtMs = Date.parse(target.folder.expires_at);
      const all = (await identitiesOf(large, target)).map(({ id, place }) => ({ place, item: byId.get(id)! }));
      const done = all.filter(({ item }) => item.status === 'completed').map(({ place }) => place);
      const begun = all
        .filter(({ place, item }) => item.status !== 'completed' && !kept.has(place))
        .map(({ place, item }) => ({ place, handle: handleOf(item.file)!, expiresAtMs }));
      if (begun.length > 0) await keepHandles(begun);
      for (const { place } of begun) kept.add(place);
      if (done.length > 0) await forgetHandles(done);
      for (const place of done) kept.delete(place);
    },
  };
}

/** The file under its path in the folder; null where that is not the place that the upload was begun for. */
async function placedAs(
  file: File,
  path: string,
  place: string,
  { folderId, userId }: UploadTarget,
): Promise<ChosenFile | null> {
  const paths = [...new Set([path, file.name])];
  const places = await Promise.all(paths.map((one) => identify({ file, path: one, folderId, userId: userId ?? '' })));
  const found = paths[places.findIndex((one) => one.place === place)];
  return found === undefined ? null : { file, path: found, name: splitPath(found).name };
}

/** Sealed names, made ahead: names can be kept at once only so, for a page that goes away has no time to seal them. */
function createLabels() {
  const labels = new Map<string, UnsentLabel>();
  async function seal(names: readonly string[], target: UploadTarget): Promise<void> {
    const keys = sealingKeys(target);
    for (const name of names) if (!labels.has(name)) labels.set(name, await labelOf(name, keys));
  }
  return {
    of: (names: readonly string[]): UnsentLabel[] => names.flatMap((name) => labels.get(name) ?? []),
    /** A name that can't be sealed is not kept. */
    prepare: (names: readonly string[], target: UploadTarget | null): void =>
      void (target && seal(names, target).catch(() => undefined)),
  };
}

/**
 * Unfinished uploads of earlier pages of this browser in a folder, and the acts that end them. The log is read when the
 * folder's page opens or becomes visible, when the queue comes to rest, and regularly while another tab uploads to the
 * folder.
 */
export function createUnfinishedWork(deps: UnfinishedDeps) {
  const { folderId, target, state } = deps;
  const labels = createLabels();
  const handles = createHandles();
  const items = () => state().queue.items;
  let found: Awaited<ReturnType<typeof findUnfinished>> = { uploads: [], elsewhere: 0 };
  let notBegun: readonly string[] = [];
  let isReading = false;
  let hasRead = false;
  /** Places of the files on the list. */
  let places: ReadonlySet<string> = new Set();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isFollowing = false;

  function update(): void {
    const names = new Set([...items(), ...found.uploads].map(({ name }) => name));
    const uploads = found.uploads.filter(({ place }) => !places.has(place));
    const unsent = notBegun.filter((name) => !names.has(name));
    const { elsewhere } = found;
    const findable = uploads.filter(({ place }) => handles.at(place)).map(({ id }) => id);
    const work: UnfinishedWork = { uploads, findable, notBegun: unsent, elsewhere };
    if (JSON.stringify(work) !== JSON.stringify(state().unfinished)) deps.onWork(work);
  }

  /** Marks files that were chosen again with their progress, and removes them from the list of files to choose. */
  async function recognise(): Promise<void> {
    const now = target();
    const listed = items();
    if (!now || listed.length === 0) places = new Set();
    else if (found.uploads.length > 0) {
      const identities = await identitiesOf(listed, now);
      places = new Set(identities.map(({ place }) => place));
      const percents = new Map<string, number>();
      for (const { id, fingerprint } of identities) {
        const percent = found.uploads.find((one) => one.fingerprint === fingerprint)?.percent;
        if (percent != null) percents.set(id, percent);
      }
      if (percents.size > 0) deps.onRecognised(percents);
    }
    update();
  }

  async function look(): Promise<void> {
    const now = target();
    if (!now || isBusy(state().queue) || document.visibilityState !== 'visible') return;
    const identities = await identitiesOf(items(), now);
    const before = found.elsewhere;
    found = await findUnfinished({
      folder: now.folder,
      keys: now.keys,
      ownPlaces: new Set(identities.map(({ place }) => place)),
      standingOf: (url) => standingOf({ network: browserNetwork(false), bearer: { get: () => now.token(false) } }, url),
    });
    await handles.look(found.uploads.map(({ place }) => place)).catch(() => undefined);
    clearInterval(timer);
    timer = found.elsewhere > 0 && isFollowing ? setInterval(lookQuietly, ELSEWHERE_EVERY_MS) : undefined;
    if (found.elsewhere < before) now.onFiles();
    await recognise();
  }

  // Without IndexedDB nothing outlives a page, so there is nothing to find.
  const lookQuietly = () => void look().catch(() => undefined);
  const prepareNames = () => labels.prepare([...notBegun, ...items().map(({ name }) => name)], target());

  async function readUnsent(now: UploadTarget): Promise<void> {
    notBegun = await unsentNames(folderId, sealingKeys(now));
    keepUnsent(folderId, []);
    hasRead = true;
    prepareNames();
    update();
  }

  const followHandles = () => {
    const now = target();
    if (now) void handles.follow(items(), now).catch(() => undefined);
  };

  /** In the click: the browser may ask, file by file. */
  async function resume(ids: readonly string[]): Promise<void> {
    const wanted = found.uploads.filter(({ id }) => ids.includes(id));
    const lost: (string | null)[] = [];
    const now = target();
    for (const { place, name, directory } of wanted) {
      const handle = handles.at(place);
      const file = handle && (await readHandle(handle));
      const found = file && now && (await placedAs(file, joinPath(directory, name ?? file.name), place, now));
      if (found) deps.onFound(found);
      else lost.push(name);
    }
    if (lost.length > 0) deps.onLost(lost);
  }

  function discard(ids: readonly string[]): void {
    const places = found.uploads.filter(({ id }) => ids.includes(id)).map(({ place }) => place);
    void forgetHandles(places).catch(() => undefined);
    found = { ...found, uploads: found.uploads.filter(({ id }) => !ids.includes(id)) };
    update();
    // An upload that can't be terminated now expires.
    for (const id of ids) cancelUpload(id, () => target()!.token(false)).catch(() => undefined);
  }

  return {
    /** The folder's page is open. */
    follow(): void {
      const now = target();
      if (isFollowing || !now) return;
      isFollowing = true;
      document.addEventListener('visibilitychange', lookQuietly);
      if (!isReading) void readUnsent(now).catch(() => undefined);
      isReading = true;
      lookQuietly();
    },
    unfollow(): void {
      isFollowing = false;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookQuietly);
    },
    /** Files were added to the list or have left it. */
    itemsChanged(): void {
      prepareNames();
      followHandles();
      void recognise().catch(() => undefined);
    },
    /** The queue has come to rest. */
    rested(): void {
      followHandles();
      lookQuietly();
    },
    /** Keeps the unsent names; synchronous, for a page that is being left. */
    keep(): void {
      // Keep names that were not read yet.
      if (!hasRead) return;
      const unsaid = items()
        .filter(isUnsaid)
        .map(({ name }) => name);
      keepUnsent(folderId, labels.of([...notBegun, ...unsaid]));
    },
    /** Continues uploads whose files this browser finds itself. */
    resume: (id: string) => void resume([id]),
    resumeAll: () => void resume(state().unfinished.findable),
    /** Ends an upload here and on the server. */
    discard: (id: string) => discard([id]),
    discardAll(): void {
      notBegun = [];
      discard(state().unfinished.uploads.map(({ id }) => id));
    },
  };
}
