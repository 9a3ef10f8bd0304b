import { useEffect, useState } from 'react';

/** True from the first time that something is asked for; its code then stays in the page. */
export function useWanted(asked: boolean): boolean {
  const [wanted, setWanted] = useState(asked);
  useEffect(() => {
    if (asked) setWanted(true);
  }, [asked]);
  return wanted;
}
