/**
 * What the page says in a browser that is too old for it, and where its scripts did not arrive or run. The build puts this script into
 * index.html itself (vite.scripts.ts), because what keeps the other scripts away would keep this one away, too; the server's policy
 * allows it by its hash. Each browser has to be able to run it: it is ES5, and asks before it uses anything newer.
 */
(function () {
  /** The youngest functions that the page can't do without, and the versions that have them all: `node scripts/check.mjs browsers`. */
  var NEEDED = [
    'Promise.withResolvers',
    'AbortSignal.any',
    'URL.canParse',
    'IDBFactory.prototype.databases',
    'HTMLElement.prototype.hidePopover',
    'crypto.subtle',
  ];
  var VERSIONS = { chrome: '124', firefox: '126', safari: '17.4' };

  /** By language: what the button says, and by reason title and text. */
  var TEXTS = {
    en: {
      again: 'Try Again',
      old: [
        'This browser is too old for Satchel',
        'Satchel encrypts and opens files in your browser, and this one is missing what that needs. Update it (on an iPhone or iPad: update iOS), or copy the whole address, with everything after #, into Chrome or Edge {chrome}, Firefox {firefox}, Safari {safari}, or a newer one.',
      ],
      failed: [
        'Satchel could not be loaded',
        'A script of this page did not arrive, or was not allowed to run. Check your connection and try again. If that does not help, an extension or a filter in your network may block scripts of {host}: allow them, or use another browser.',
      ],
      insecure: [
        'This address is not protected',
        'Satchel encrypts files in your browser, and browsers allow that only on HTTPS pages. Open https://{host} instead.',
      ],
    },
    de: {
      again: 'Erneut versuchen',
      old: [
        'Dieser Browser ist zu alt für Satchel',
        'Satchel verschlüsselt und öffnet Dateien in deinem Browser, und diesem fehlt, was es dafür braucht. Aktualisiere ihn (auf iPhone oder iPad: iOS), oder kopiere die ganze Adresse, mit allem nach #, in Chrome oder Edge {chrome}, Firefox {firefox}, Safari {safari} oder neuer.',
      ],
      failed: [
        'Satchel ließ sich nicht laden',
        'Ein Skript dieser Seite ist nicht angekommen oder durfte nicht laufen. Prüfe deine Verbindung und versuche es noch einmal. Hilft das nicht, sperrt vielleicht eine Erweiterung oder ein Filter in deinem Netz die Skripte von {host}: Erlaube sie, oder nimm einen anderen Browser.',
      ],
      insecure: [
        'Diese Adresse ist nicht geschützt',
        'Satchel verschlüsselt Dateien in deinem Browser, und Browser erlauben das nur auf HTTPS-Seiten. Öffne stattdessen https://{host}.',
      ],
    },
    fr: {
      again: 'Réessayer',
      old: [
        'Ce navigateur est trop ancien pour Satchel',
        'Satchel chiffre et ouvre les fichiers dans ton navigateur, et celui-ci n’a pas ce qu’il faut. Mets-le à jour (sur iPhone ou iPad : iOS), ou copie l’adresse entière, avec tout ce qui suit #, dans Chrome ou Edge {chrome}, Firefox {firefox}, Safari {safari} ou plus récent.',
      ],
      failed: [
        'Satchel n’a pas pu être chargé',
        'Un script de cette page n’est pas arrivé ou n’a pas pu s’exécuter. Vérifie ta connexion et réessaie. Si cela ne suffit pas, une extension ou un filtre de ton réseau bloque peut-être les scripts de {host} : autorise-les, ou prends un autre navigateur.',
      ],
      insecure: [
        'Cette adresse n’est pas protégée',
        'Satchel chiffre les fichiers dans ton navigateur, et les navigateurs ne le permettent qu’aux pages HTTPS. Ouvre plutôt https://{host}.',
      ],
    },
    es: {
      again: 'Reintentar',
      old: [
        'Este navegador es demasiado antiguo para Satchel',
        'Satchel cifra y abre los archivos en tu navegador, y a este le falta lo necesario. Actualízalo (en un iPhone o iPad: iOS), o copia la dirección entera, con todo lo que sigue a #, en Chrome o Edge {chrome}, Firefox {firefox}, Safari {safari} o más reciente.',
      ],
      failed: [
        'No se ha podido cargar Satchel',
        'Un script de esta página no ha llegado o no ha podido ejecutarse. Comprueba tu conexión e inténtalo otra vez. Si no ayuda, puede que una extensión o un filtro de tu red bloquee los scripts de {host}: permítelos, o usa otro navegador.',
      ],
      insecure: [
        'Esta dirección no está protegida',
        'Satchel cifra los archivos en tu navegador, y los navegadores solo lo permiten en páginas HTTPS. Abre en su lugar https://{host}.',
      ],
    },
  };

  /** As lib/texts/language chooses it. */
  function language() {
    var wanted = [];
    try {
      wanted.push(localStorage.getItem('language'));
    } catch (_error) {
      // Storage is shut.
    }
    wanted = wanted.concat(navigator.languages || navigator.language || []);
    for (var i = 0; i < wanted.length; i++) {
      var base = String(wanted[i]).toLowerCase().split('-')[0];
      if (Object.prototype.hasOwnProperty.call(TEXTS, base)) return base;
    }
    return 'en';
  }

  function has(path) {
    var names = path.split('.');
    var at = window;
    for (var i = 0; i < names.length - 1; i++) {
      at = at[names[i]];
      if (!at) return false;
    }
    return names[names.length - 1] in at;
  }

  /** Why the page can't work here; null where it can. */
  function hindrance() {
    if (window.isSecureContext === false) return 'insecure';
    if (!('noModule' in document.createElement('script'))) return 'old';
    for (var i = 0; i < NEEDED.length; i++) if (!has(NEEDED[i])) return 'old';
    return null;
  }

  function element(name, className, text) {
    var made = document.createElement(name);
    made.className = className;
    made.appendChild(document.createTextNode(text));
    return made;
  }

  /** Shows it in place of the page. Looks as the page does where the style sheet is there, and can be read without. */
  function say(reason) {
    var name = language();
    var title = TEXTS[name][reason][0];
    var text = TEXTS[name][reason][1].replace('{host}', location.host);
    for (var browser in VERSIONS) text = text.replace('{' + browser + '}', VERSIONS[browser]);
    var main = element('main', 'wrap grid min-h-dvh place-content-center justify-items-center py-12 text-center', '');
    main.lang = name;
    main.appendChild(element('h1', 'display text-2xl', title));
    main.appendChild(element('p', 'mt-3 mb-8 max-w-prose text-sm text-muted', text)).setAttribute('role', 'alert');
    if (reason === 'failed') {
      var again = element(
        'button',
        'btn filled h-11 rounded-control bg-accent px-5 text-sm font-medium text-accent-ink',
        TEXTS[name].again,
      );
      again.onclick = function () {
        location.reload();
      };
      main.appendChild(again);
    }
    var root = document.getElementById('root');
    while (root.firstChild) root.removeChild(root.firstChild);
    root.appendChild(main);
  }

  var reason = hindrance();
  // Asked by main.tsx.
  var page = {
    works: reason === null,
    hasBegun: false,
    fail: function () {
      say('failed');
    },
  };
  window.satchelPage = page;
  // By then each script of the page has run, or never will.
  window.addEventListener('load', function () {
    if (reason !== null || !page.hasBegun) say(reason || 'failed');
  });
})();
