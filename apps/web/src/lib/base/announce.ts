import { createStore } from './external-store.ts';

export interface Announcement {
  readonly text: string;
  readonly key: number;
}

/** What the two live regions of shell/hosts.tsx say. */
export const politeAnnouncement = createStore<Announcement | null>(null);
export const urgentAnnouncement = createStore<Announcement | null>(null);

let key = 0;

/** Speaks a status message without moving focus. `urgent` interrupts; for failures only. */
export function announce(text: string, urgent = false): void {
  key += 1;
  (urgent ? urgentAnnouncement : politeAnnouncement).set({ text, key });
}
