# A Nix flake. Untried: it has not been run through nix.
{
  description = "Chat in the terminal with language models on your own machine";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.11";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "confab";
          version = "0.1.0";
          src = self;
          nativeBuildInputs = with pkgs; [ cmake ninja pkg-config shaderc ];
          buildInputs = with pkgs; [
            cli11 cmark curl fmt ncurses nlohmann_json pcre2 readline sqlite tomlplusplus utf8proc vulkan-headers
            xxHash
          ];
          cmakeFlags = [ "-DCONFAB_TESTS=OFF" "-DCONFAB_BENCH=OFF" ];
        };
      });
    };
}
