/** How Playwright starts the browser. */
export interface BrowserLaunch {
  executablePath: string;
  args: string[];
}

export function ensureBrowser(): Promise<BrowserLaunch>;
export function findBrowser(): Promise<BrowserLaunch | undefined>;
