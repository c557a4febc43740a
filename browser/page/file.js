// Browsers load no modules for a page opened as a file, so it would silently stay empty. This is a
// plain script, which they do load, in a file of its own, which hosts with strict script rules
// allow.
{
  const WORDS = {
    en: "This page works only from a host. Run “python3 -m http.server” in its folder, and open localhost:8000 in the browser.",
    de: "Diese Seite läuft nur von einem Server. Führe in ihrem Ordner „python3 -m http.server“ aus und öffne im Browser localhost:8000.",
    fr: "Cette page ne fonctionne que depuis un serveur. Lancez « python3 -m http.server » dans son dossier, puis ouvrez localhost:8000 dans le navigateur.",
  };

  if (location.protocol === "file:") addEventListener("DOMContentLoaded", () => {
    document.body.textContent = WORDS[navigator.language.slice(0, 2)] ?? WORDS.en;
  });
}
