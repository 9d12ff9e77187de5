// The socket to which agents connect: who gets in, what arrives, what is cleared away.

#include "capture/listener.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchline;
using namespace torchline::capture;

namespace {

FileDescriptor connectTo(const std::string& path)
{
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return {};
    return socket;
}

void sendWithFiles(int socket, std::string_view text, const std::vector<int>& files)
{
    iovec part{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 4)> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(rights), files.data(), sizeof(int) * files.size());
    QCOMPARE(::sendmsg(socket, &header, 0), static_cast<ssize_t>(text.size()));
}

} // namespace

class TestListener : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
    }

    void theFolderIsOurs()
    {
        ::umask(0);
        const auto listener = Listener::open();
        ::umask(022);
        QVERIFY2(listener, listener ? "" : listener.error().message().c_str());
        struct stat status { };
        QCOMPARE(::stat(file("/torchline").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777u, 0700u);
    }

    void aFolderOpenToOthersIsClosed()
    {
        QCOMPARE(::mkdir(file("/torchline").c_str(), 0755), 0);
        QVERIFY(Listener::open());
        struct stat status { };
        QCOMPARE(::stat(file("/torchline").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777u, 0700u);
    }

    void aLinkIsNoFolderOfOurs()
    {
        qputenv("TMPDIR", m_folder->path().toUtf8());
        QCOMPARE(::symlink("/", file("/torchline").c_str()), 0);
        const auto listener = Listener::open();
        QVERIFY(listener);
        QVERIFY(listener->path().starts_with(m_folder->path().toStdString() + "/torchline-"));
        qunsetenv("TMPDIR");
    }

    void aLongPathGoesToTheTemporaryFolder()
    {
        qputenv("XDG_RUNTIME_DIR", QByteArray::fromStdString(file("/" + std::string(100, 'x'))));
        QVERIFY(QDir().mkpath(qEnvironmentVariable("XDG_RUNTIME_DIR")));
        const auto listener = Listener::open();
        QVERIFY(listener);
        QVERIFY(listener->path().size() < sizeof(sockaddr_un::sun_path));
    }

    void packetsArriveWholeAndInOrder()
    {
        auto listener = Listener::open();
        QVERIFY(listener);
        QVERIFY(!listener->accept());
        FileDescriptor agent = connectTo(listener->path());
        QVERIFY(agent.isOpen());
        auto connection = listener->accept();
        QVERIFY(connection);
        QCOMPARE(connection->peer(), ::getpid());
        QVERIFY(connection->receive().arrival == Connection::Arrival::Nothing);
        const std::string longest(size_t{64} << 10, 'x');
        for (const std::string& text : {std::string("one"), longest})
            QCOMPARE(::send(agent.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        QCOMPARE(connection->receive().packet, std::string("one"));
        QCOMPARE(connection->receive().packet, longest);
        QVERIFY(connection->send("start"));
        std::array<char, 16> line{};
        QCOMPARE(::recv(agent.get(), line.data(), line.size(), 0), ssize_t{5});
        QCOMPARE(std::string(line.data()), std::string("start"));
        agent.close();
        QVERIFY(connection->receive().arrival == Connection::Arrival::Closed);
        QVERIFY(!connection->send("stop"));
    }

    void aFileComesWithItsPacket()
    {
        auto listener = Listener::open();
        QVERIFY(listener);
        const FileDescriptor agent = connectTo(listener->path());
        auto connection = listener->accept();
        const FileDescriptor memory(::memfd_create("test", MFD_CLOEXEC));
        QCOMPARE(::write(memory.get(), "inside", 6), ssize_t{6});
        sendWithFiles(agent.get(), "bound", {memory.get()});
        const Connection::Received received = connection->receive();
        QCOMPARE(received.packet, std::string("bound"));
        QVERIFY(received.file.isOpen());
        std::array<char, 8> read{};
        QCOMPARE(::pread(received.file.get(), read.data(), read.size(), 0), ssize_t{6});
        QCOMPARE(std::string(read.data()), std::string("inside"));
    }

    void tooMuchCloses()
    {
        auto listener = Listener::open();
        const FileDescriptor agent = connectTo(listener->path());
        auto connection = listener->accept();
        const auto openFiles
            = [] { return QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::System | QDir::Files).size(); };
        const auto before = openFiles();
        sendWithFiles(agent.get(), "two files", {0, 0});
        QVERIFY(connection->receive().arrival == Connection::Arrival::Closed);
        const std::string tooLong((size_t{64} << 10) + 1, 'x');
        QCOMPARE(::send(agent.get(), tooLong.data(), tooLong.size(), 0), static_cast<ssize_t>(tooLong.size()));
        QVERIFY(connection->receive().arrival == Connection::Arrival::Closed);
        QCOMPARE(openFiles(), before);
    }

    void socketsOfTheDeadAreClearedAway()
    {
        std::string stale;
        {
            const auto folder = privateFolder();
            QVERIFY(folder);
            const pid_t child = ::fork();
            if (child == 0)
                ::_exit(0);
            ::waitpid(child, nullptr, 0);
            stale = *folder + '/' + std::to_string(child) + "-0.sock";
            const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::strncpy(address.sun_path, stale.c_str(), sizeof address.sun_path - 1);
            QCOMPARE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        }
        const auto first = Listener::open();
        QVERIFY(::access(stale.c_str(), F_OK) != 0);
        const auto second = Listener::open();
        QVERIFY(::access(first->path().c_str(), F_OK) == 0);
        QVERIFY(first->path() != second->path());
    }

    void itsOwnSocketGoesWithIt()
    {
        std::string path;
        {
            auto listener = Listener::open();
            path = listener->path();
            Listener moved = std::move(*listener);
            QVERIFY(connectTo(path).isOpen());
        }
        QVERIFY(::access(path.c_str(), F_OK) != 0);
    }

private:
    std::string file(const std::string& name) const { return m_folder->path().toStdString() + name; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestListener)
#include "tst_listener.moc"
