export interface BrowserLaunch {
  executablePath: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}

export function ensureBrowser(): Promise<BrowserLaunch>;
export function findBrowser(): Promise<BrowserLaunch | undefined>;
