// Light, dark, or as the system has it. Colours of the page stand in style.css; those that canvases draw
// with, here.
//
// Series: Okabe & Ito, "Color Universal Design" (2008), whose hues people of any colour vision tell apart;
// each line has a dash of its own too. For dark ground the dark ones are lightened.

const SERIES = {
  light: ['#0072b2', '#d55e00', '#009e73', '#b4588c', '#8a6d00', '#3a3f45'],
  dark: ['#56b4e9', '#f0894b', '#2fc298', '#de9cc2', '#f0d442', '#c9ced6'],
};
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2]];

const CANVAS = {
  light: {
    ink: '#1d2126',
    muted: '#5c646e',
    line: '#dfe2e6',
    stage: '#eceef1',
    grid: '#c3c8cf',
    body: '#a9afb8',
    clothFront: '#7fa3c4',
    clothBack: '#c9b79c',
    free: '#8d939b',
    ghost: '#d55e00',
    other: '#009e73',
    wire: '#2a3542',
    arrow: '#b03a00',
  },
  dark: {
    ink: '#e8eaed',
    muted: '#9aa3ae',
    line: '#30353c',
    stage: '#16191d',
    grid: '#3a4048',
    body: '#565d67',
    clothFront: '#7ba4c9',
    clothBack: '#b5a183',
    free: '#7c838c',
    ghost: '#f0894b',
    other: '#2fc298',
    wire: '#0c0f12',
    arrow: '#ffb27f',
  },
};

export const THEMES = { auto: 'System theme', light: 'Light', dark: 'Dark' };

const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

export class Theme {
  #listeners = [];
  #printing = false;

  constructor(choice = 'auto') {
    this.choice = choice;
    systemDark.addEventListener('change', () => this.#apply());
    window.addEventListener('beforeprint', () => {
      this.#printing = true;
      this.#apply();
    });
    window.addEventListener('afterprint', () => {
      this.#printing = false;
      this.#apply();
    });
    this.#apply();
  }

  get name() {
    if (this.#printing) return 'light';
    return this.choice === 'auto' ? (systemDark.matches ? 'dark' : 'light') : this.choice;
  }
  get canvas() {
    return CANVAS[this.name];
  }
  series(index) {
    return SERIES[this.name][index % SERIES.light.length];
  }
  // Six series on, where colours begin again, another one stands beside each.
  dash(index) {
    return DASHES[(index + Math.floor(index / SERIES.light.length)) % DASHES.length];
  }

  choose(choice) {
    this.choice = choice;
    this.#apply();
  }

  subscribe(listener) {
    this.#listeners.push(listener);
    listener(this);
  }

  #apply() {
    document.documentElement.dataset.theme = this.name;
    for (const listener of this.#listeners) listener(this);
  }
}
