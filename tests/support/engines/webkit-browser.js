import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=3.0';
import WebKit from 'gi://WebKit2?version=4.1';

/**
 * A browser of WebKitGTK for WebKitWebDriver, run by gjs. Debian's MiniBrowser gives its driver a private session, of which WebKit
 * never prints what the console says. This one has an ordinary session, and a private one by `--private`; `--no-cookies` refuses them.
 */

Gtk.init(null);
const context = new WebKit.WebContext({
  website_data_manager: new WebKit.WebsiteDataManager(
    ARGV.includes('--private')
      ? { is_ephemeral: true }
      : {
          base_data_directory: `${GLib.get_user_data_dir()}/webkit`,
          base_cache_directory: `${GLib.get_user_cache_dir()}/webkit`,
        },
  ),
});
context.set_automation_allowed(true);
if (ARGV.includes('--no-cookies')) context.get_cookie_manager().set_accept_policy(WebKit.CookieAcceptPolicy.NEVER);
const settings = new WebKit.Settings({ enable_write_console_messages_to_stdout: true });
const policies = new WebKit.WebsitePolicies({ autoplay: WebKit.AutoplayPolicy.ALLOW });

function openView() {
  const view = new WebKit.WebView({
    web_context: context,
    settings,
    website_policies: policies,
    is_controlled_by_automation: true,
  });
  view.connect('decide-policy', (_view, decision, type) => {
    if (type !== WebKit.PolicyDecisionType.RESPONSE || decision.is_mime_type_supported()) return false;
    decision.download();
    return true;
  });
  const window = new Gtk.Window();
  view.connect('close', () => window.destroy());
  window.add(view);
  window.show_all();
  return view;
}

context.connect('automation-started', (_context, session) => {
  const info = new WebKit.ApplicationInfo();
  info.set_name('Satchel’s tests');
  info.set_version(WebKit.get_major_version(), WebKit.get_minor_version(), WebKit.get_micro_version());
  session.set_application_info(info);
  for (const kind of ['tab', 'window']) session.connect(`create-web-view::${kind}`, openView);
});
new GLib.MainLoop(null, false).run();
