import { type RefObject, useEffect } from 'react';

/** Says when an element comes into view and when it leaves, also by leaving the page. */
export function useInView(
  ref: RefObject<Element | null>,
  id: string,
  onChange: (id: string, isVisible: boolean) => void,
) {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) onChange(id, last.isIntersecting);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      onChange(id, false);
    };
  }, [ref, id, onChange]);
}
