# The image holds the static binary and nothing else. Build that first:
#   make build && docker build -t mongoadvisor .
#   docker run -e MONGOADVISOR_UPSTREAM=db1:27017 -p 127.0.0.1:27217:27217 mongoadvisor
FROM scratch
COPY mongoadvisor /mongoadvisor
# No entry in a passwd file is needed; 65532 is "nonroot" elsewhere. Nothing is
# written: the root file system may be read-only. A scratch image has no
# certificates: for tls=true mount the server's CA and name it in SSL_CERT_FILE.
USER 65532:65532
# 27217 takes MongoDB clients; 28217 serves metrics, health and the API.
EXPOSE 27217 28217
# There is no shell for a probe to use. With a password on the web endpoint, set
# --health.listen-address and give its address to healthcheck by --url.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["/mongoadvisor", "healthcheck"]
ENTRYPOINT ["/mongoadvisor"]
# The program's own defaults are loopback, which nobody outside a container can
# reach. Who may is decided by what the container publishes; findings name
# collections and fields, so do not publish 28217 to everybody.
CMD ["proxy", "--listen", ":27217", "--web.listen-address", ":28217"]
