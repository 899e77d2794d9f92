# The program with its configs and released agents.
#
#     docker build --tag selfplay .
#     docker run --rm --publish 8787:8787 selfplay        play in the browser
#     docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" selfplay train sum15-4/quickstart    runs are in ./checkpoints
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package selfplay-program --features cluster --bins \
    && strip target/dist/selfplay target/dist/selfplay-agent \
    && python3 apps/python/staging.py target/dist/selfplay target/dist/selfplay-agent

FROM debian:bookworm-slim
COPY --from=build /source/apps/python/selfplay_trainer.data/scripts /usr/local/bin
COPY --from=build /source/apps/python/selfplay_trainer.data/data /usr/local
# Any user may write here.
WORKDIR /data
RUN chmod 1777 /data
USER 1000
EXPOSE 8787
ENTRYPOINT ["selfplay"]
CMD ["serve", "--host", "0.0.0.0"]
