const names =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|composer\.lock|Gemfile\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|packages\.lock\.json|gradle\.lockfile)$/;
const generated =
  /(?:^|\/)(?:node_modules|vendor|dist|__snapshots__)\/|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart)$|_pb2(?:_grpc)?\.py$/;

export const isLockFile = (path: string): boolean => names.test(path);

export const isFoldedFile = (path: string): boolean => isLockFile(path) || generated.test(path);
