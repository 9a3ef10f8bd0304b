// Usage: node scripts/simulate-load.mjs [uploads-a-minute …]; docs/scale.md explains the tables. Needs no installation.
// What requests cost comes from the bench (docs/performance.md); what machines have, what people do and prices are assumptions: change them here.

const MB = 1e6;
const MIB = 1024 ** 2;
const GB = 1e9;

/** Processor time for each, in seconds: of a node, and of the database for a statement. Each is a row that the bench prints. */
const COST = {
  /** A file that comes whole in one request: `400 files of 100 KB, 8 at once, each`. */
  upload: 2.53e-3,
  /** `socket upload of 512 MiB`: 1.58 CPU-s. */
  uploadMib: 1.58 / 512,
  /** `sealed download of 1024 MiB`: 0.49 CPU-s. */
  downloadMib: 0.49 / 1024,
  /** A part that a browser stores by itself, its address and its acknowledgement: `npm run bench direct`. */
  directPart: 9e-3,
  /** `page reads of 10⁴ folders, 32 at once`. */
  pageRead: 0.1e-3,
  /** `10000 interactions, 16 at once`. */
  interaction: 0.58e-3,
  /** Half of `10000 interactions, 16 at once: database’s processor time each`, which are two statements: 0.21 ms. */
  statement: 0.105e-3,
};
/** Statements of an upload from its creation to its row in `files`, and of a download with its page. */
const STATEMENTS = { upload: 10, download: 3, interaction: 2, directPart: 10 };

/** What an active person does in a day. Files live for a day. */
const PERSON = { uploads: 10, fileBytes: 5 * MB, readsOfFile: 3, pageReads: 20, interactions: 5 };

/** Example prices in dollars; yours will differ. */
const PRICE = { coreMonth: 10, gbOut: 0.02, gbMonth: 0.023, millionPuts: 5, millionGets: 0.4 };
const DAYS = 30;
/** A node keeps half of its processor free for peaks. */
const BUSY = 0.5;
/** Objects of 8 MiB; a reader asks for windows of 2 MiB, and once whether it is there. */
const OBJECT_BYTES = 8 * MIB;
const WINDOW_BYTES = 2 * MIB;
/** Uploads from here on may go past the nodes, in parts of 6 MiB; each takes statements, too. */
const DIRECT_MIN_BYTES = 8 * MIB;
const DIRECT_PART_BYTES = 6 * MIB;

/**
 * Lines in Gbit/s each way, threads of nodes, cores of the database. A disk takes 1 GiB in 5.74 s with its syncs (`sealed upload of
 * 1024 MiB, socket: time`); a store takes and gives 64 objects of a node at once, each after 50 ms and then at 100 MB/s.
 */
const SITES = [
  { name: '1 process, disk, 1 Gbit/s', gbit: 1, nodes: 1, databaseCores: 2, store: 'disk' },
  { name: '4 nodes, S3, 10 Gbit/s', gbit: 10, nodes: 4, databaseCores: 4, store: 's3' },
  { name: '64 nodes, S3, 400 Gbit/s', gbit: 400, nodes: 64, databaseCores: 16, store: 's3' },
  { name: '48 nodes, bytes direct', gbit: 400, nodes: 48, databaseCores: 16, store: 's3', isDirect: true },
];
const DISK_BYTES_A_SECOND = (1024 * MIB) / 5.74;
const S3 = { atOnce: 64, seconds: 0.05, bytesASecond: 100 * MB };
const UPLOADS_SIMULATED = 30_000;
const SIMULATED_MIN_SECONDS = 600;

const [, , ...given] = process.argv;
const RATES = given.length > 0 ? given.map(Number) : [10, 1e3, 1e5];
if (RATES.some((rate) => !(rate > 0))) {
  process.stderr.write('Usage: node scripts/simulate-load.mjs [uploads-a-minute …]\n');
  process.exit(1);
}

/** The same numbers in every run. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many servers, and one queue before them. */
function createStation(servers) {
  const freeAt = new Float64Array(servers);
  let busy = 0;
  return {
    servers,
    busySeconds: () => busy,
    /** @returns when the work is done */
    serve(now, seconds) {
      let first = 0;
      for (let at = 1; at < servers; at += 1) if (freeAt[at] < freeAt[first]) first = at;
      freeAt[first] = Math.max(now, freeAt[first]) + seconds;
      busy += seconds;
      return freeAt[first];
    },
  };
}

/** The earliest first. */
function createEvents() {
  const heap = [];
  const swap = (a, b) => ([heap[a], heap[b]] = [heap[b], heap[a]]);
  return {
    add(event) {
      let at = heap.push(event) - 1;
      for (let up = (at - 1) >> 1; at > 0 && heap[up].time > heap[at].time; at = up, up = (at - 1) >> 1) swap(at, up);
    },
    take() {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length === 0) return first;
      heap[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const down of [2 * at + 1, 2 * at + 2]) if (heap[down]?.time < heap[least].time) least = down;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
    isEmpty: () => heap.length === 0,
  };
}

function stationsOf({ nodes, databaseCores, store }) {
  return {
    'line in': createStation(1),
    'line out': createStation(1),
    nodes: createStation(nodes),
    store: createStation(store === 'disk' ? 1 : S3.atOnce * nodes),
    database: createStation(databaseCores),
  };
}

/** The stations that an upload or a download passes, with its seconds at each. */
function wayOf(site, kind, bytes) {
  const isDirect = site.isDirect && (kind === 'download' || bytes >= DIRECT_MIN_BYTES);
  const through = isDirect ? 0 : bytes;
  const line = (through * 8) / (site.gbit * 1e9);
  const parts = Math.ceil(bytes / (kind === 'upload' ? OBJECT_BYTES : WINDOW_BYTES));
  const inStore = site.store === 'disk' ? bytes / DISK_BYTES_A_SECOND : parts * S3.seconds + bytes / S3.bytesASecond;
  const directParts = isDirect && kind === 'upload' ? Math.ceil(bytes / DIRECT_PART_BYTES) : 0;
  const database = (STATEMENTS[kind] + directParts * STATEMENTS.directPart) * COST.statement;
  if (kind === 'upload') {
    const node = COST.upload + (through / MIB) * COST.uploadMib + directParts * COST.directPart;
    return [['line in', line], ['nodes', node], ...(isDirect ? [] : [['store', inStore]]), ['database', database]];
  }
  const node = COST.pageRead + (through / MIB) * COST.downloadMib;
  return [['database', database], ...(isDirect ? [] : [['store', inStore]]), ['nodes', node], ['line out', line]];
}

/** A second for each of the longest: the 99th of 100, and so on. */
const percentile = (sorted, percent) =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];

function simulate(site, perMinute) {
  const random = createRandom(7);
  const stations = stationsOf(site);
  const events = createEvents();
  const perSecond = perMinute / 60;
  const seconds = Math.max(UPLOADS_SIMULATED / perSecond, perSecond < 50 ? SIMULATED_MIN_SECONDS : 0);
  /** Sizes of files spread widely; the mean is that of a person's files. */
  const sizeOf = () => -Math.log(1 - random()) * PERSON.fileBytes;
  for (const [kind, rate] of [
    ['upload', perSecond],
    ['download', perSecond * PERSON.readsOfFile],
  ]) {
    for (let time = 0; ; ) {
      time += -Math.log(1 - random()) / rate;
      if (time > seconds) break;
      const way = wayOf(site, kind, sizeOf());
      events.add({ time, kind, way, step: 0, begun: time });
    }
  }
  const waits = [];
  while (!events.isEmpty()) {
    const { time, kind, way, step, begun } = events.take();
    if (step === way.length) {
      const alone = way.reduce((sum, [, each]) => sum + each, 0);
      if (kind === 'upload') waits.push(time - begun - alone);
      continue;
    }
    const [station, takes] = way[step];
    events.add({ time: stations[station].serve(time, takes), kind, way, step: step + 1, begun });
  }
  const loads = Object.entries(stations).map(([name, { servers, busySeconds }]) => [
    name,
    busySeconds() / servers / seconds,
  ]);
  return { loads, waits: waits.sort((a, b) => a - b) };
}

const shown = (value) => (value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2));
const percent = (load) => (load < 0.01 ? '< 1 %' : `${Math.round(load * 100)} %`);
const waited = (seconds) =>
  seconds < 0.001 ? '< 1 ms' : seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${shown(seconds)} s`;
const print = (cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const head = (cells) => [cells, cells.map(() => '---')].forEach(print);

function printQueues() {
  head([
    'Uploads a minute',
    'Site',
    'Line in',
    'Line out',
    'Nodes',
    'Store',
    'Database',
    'First full',
    'An upload waits: half, 99 of 100',
  ]);
  for (const rate of RATES) {
    for (const site of SITES) {
      const { loads, waits } = simulate(site, rate);
      const [first, most] = loads.toSorted(([, a], [, b]) => b - a)[0];
      const wait =
        most >= 1 ? 'longer by the minute' : `${waited(percentile(waits, 50))}, ${waited(percentile(waits, 99))}`;
      print([
        rate.toLocaleString('en'),
        site.name,
        ...loads.map(([, load]) => percent(load)),
        most < 0.01 ? '–' : first,
        wait,
      ]);
    }
  }
}

/** What is used, and what it costs at the example prices. */
function costOf({ uploads, bytesUp, downloads, bytesDown, pageReads, interactions, gbMonths }) {
  const cpuSeconds =
    uploads * COST.upload +
    (bytesUp / MIB) * COST.uploadMib +
    (bytesDown / MIB) * COST.downloadMib +
    (pageReads + downloads) * COST.pageRead +
    interactions * COST.interaction;
  const statements =
    uploads * STATEMENTS.upload + (downloads + pageReads) * STATEMENTS.download + interactions * STATEMENTS.interaction;
  const puts = Math.max(uploads, bytesUp / OBJECT_BYTES);
  const gets = downloads + bytesDown / WINDOW_BYTES;
  const coreMonths = (cpuSeconds + statements * COST.statement) / BUSY / (DAYS * 86_400);
  return [
    ['processor, nodes', `${shown(cpuSeconds / 3600)} h`, (cpuSeconds / BUSY / (DAYS * 86_400)) * PRICE.coreMonth],
    [
      'processor, database',
      `${shown((statements * COST.statement) / 3600)} h`,
      coreMonths * PRICE.coreMonth - (cpuSeconds / BUSY / (DAYS * 86_400)) * PRICE.coreMonth,
    ],
    ['bytes out', `${shown(bytesDown / GB)} GB`, (bytesDown / GB) * PRICE.gbOut],
    ['stored', `${shown(gbMonths)} GB for a month`, gbMonths * PRICE.gbMonth],
    [
      'requests to the store',
      `${shown(puts / 1e6)} M PUT, ${shown(gets / 1e6)} M GET`,
      (puts * PRICE.millionPuts + gets * PRICE.millionGets) / 1e6,
    ],
  ];
}

function printCost(title, used) {
  process.stdout.write(`\n${title}\n\n`);
  head(['What', 'Used', '$']);
  const rows = costOf(used);
  for (const [what, amount, price] of rows) print([what, amount, price.toFixed(2)]);
  print(['in all', '', rows.reduce((sum, [, , price]) => sum + price, 0).toFixed(2)]);
}

const people = 1000 * DAYS;
const uploads = people * PERSON.uploads;
const bytesUp = uploads * PERSON.fileBytes;
printQueues();
printCost('1,000 active people for a month', {
  ...{ uploads, bytesUp, downloads: uploads * PERSON.readsOfFile, bytesDown: bytesUp * PERSON.readsOfFile },
  ...{ pageReads: people * PERSON.pageReads, interactions: people * PERSON.interactions },
  gbMonths: bytesUp / DAYS / GB,
});
const files = 1e12 / PERSON.fileBytes;
printCost('1 TB uploaded, kept for a day and read three times', {
  ...{ uploads: files, bytesUp: 1e12, downloads: files * PERSON.readsOfFile, bytesDown: 1e12 * PERSON.readsOfFile },
  ...{ pageReads: 0, interactions: 0, gbMonths: 1000 / DAYS },
});
