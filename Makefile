EXE ?= standpat
all: ; cargo rustc --release --locked --bin standpat -- --emit link=$(EXE)
