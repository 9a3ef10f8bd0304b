/** Discord's tag on messages of an app. */
export const AppTag = () => (
  <span
    translate="no"
    className="filled ml-1 rounded-[4px] bg-discord px-1 py-px text-[10px] font-semibold text-on-discord"
  >
    APP
  </span>
);
