# syntax=docker/dockerfile:1
# The image. From a checkout: docker build -t miniserver .
# A release takes the programs that it has built before: docker build --build-arg PROGRAM=release
ARG PROGRAM=build

FROM alpine AS certificates
RUN apk add --no-cache ca-certificates

FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=devel
# The other modules of the workspace are not all here.
ENV GOWORK=off
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath \
    -ldflags "-s -w -X github.com/miniserver-go/miniserver/engine.stamped=$VERSION" -o /miniserver ./cmd/miniserver

FROM scratch AS release
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/miniserver /miniserver

FROM $PROGRAM AS program

FROM scratch
# By these miniserver knows servers that it connects to with TLS, such as the source of a migration.
COPY --from=certificates /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY packaging/rootfs/etc/ /etc/
COPY --chown=65532:65532 packaging/rootfs/data/ /data/
COPY --chown=65532:65532 packaging/rootfs/tmp/ /tmp/
COPY --from=program /miniserver /miniserver
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 6379
# Settings that stand before those of a file and of the command line. Docker's network decides who can connect.
ENV MINISERVER_OPTIONS="--bind * --protected-mode no"
HEALTHCHECK --interval=5s --timeout=3s --start-period=1s CMD ["/miniserver", "ping", "--alive"]
ENTRYPOINT ["/miniserver"]
