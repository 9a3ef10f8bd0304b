// Before the first paint, or the page would flash in the wrong theme.
(() => {
  let choice;
  try {
    choice = localStorage.getItem('theme');
  } catch {
    // Without storage the device decides.
  }
  if (choice === 'dark' || (choice !== 'light' && !matchMedia('(prefers-color-scheme: light)').matches)) return;
  document.documentElement.dataset.theme = 'light';
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f8f5f0');
})();
