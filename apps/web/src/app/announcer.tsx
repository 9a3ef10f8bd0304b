import { politeAnnouncement, urgentAnnouncement } from '../lib/announce.ts';
import { useStore } from '../lib/external-store.ts';

/** Two live regions, mounted once and before any message: a region that comes with its text is not read out. */
export function Announcer() {
  const polite = useStore(politeAnnouncement);
  const urgent = useStore(urgentAnnouncement);
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        <span key={polite?.key}>{polite?.text}</span>
      </div>
      <div role="alert" aria-live="assertive" className="sr-only">
        <span key={urgent?.key}>{urgent?.text}</span>
      </div>
    </>
  );
}
