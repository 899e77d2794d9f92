// Light, dark, or as the system says.

const KEY = 'selfplay-theme';
const ORDER = ['system', 'light', 'dark'];
const SIGNS = { system: '◐', light: '☀', dark: '☾' };

// Wires the button that goes through the themes.
export function wireTheme(button) {
  let theme = localStorage.getItem(KEY);
  if (!ORDER.includes(theme)) theme = 'system';
  const show = () => {
    if (theme === 'system') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', theme);
    button.textContent = SIGNS[theme];
    button.setAttribute('aria-label', `Colours: ${theme}`);
    button.title = `Colours: ${theme}`;
  };
  button.addEventListener('click', () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    localStorage.setItem(KEY, theme);
    show();
  });
  show();
}
